import CLinux
import Foundation
import Host
import TestSupport
import Testing

/// What other processes and the kernel's own views can see of the arena.
@Suite struct UnreadableMemoryTests {
  init() throws { try #require(TestArena.ready) }

  @Test func thisProcessCannotReadItThroughProc() throws {
    let secret = try SecretBuffer(copying: pattern.span)
    let ordinary = pattern
    #expect(read(address(of: ordinary.span)) == pattern)
    #expect(read(address(of: secret.bytes)) == (isHiddenFromRoot ? nil : pattern))
  }

  @Test(.enabled(if: geteuid() == 0, "only root may read another process"))
  func aRootProcessCannotReadIt() throws {
    let secret = try SecretBuffer(copying: pattern.span)
    let ordinary = pattern
    #expect(try readByAnother(address(of: ordinary.span)) == Other(bytes: pattern, error: ""))
    let seen = try readByAnother(address(of: secret.bytes))
    #expect(seen.bytes == (isHiddenFromRoot ? [] : pattern))
    #expect(seen.error.contains("Input/output error") == isHiddenFromRoot)
  }

  /// `lo`: locked; `dd`: not dumped; `dc`: not copied on fork. See proc(5), smaps.
  @Test func itIsLockedAndNeitherDumpedNorInherited() throws {
    let secret = try SecretBuffer(count: 1)
    let flags = try mappingFlags(at: address(of: secret.bytes))
    #expect(flags.isSuperset(of: ["lo", "dd", "dc"]))
  }

  private let pattern = Array("not a key, but looked for like one".utf8)
  private var isHiddenFromRoot: Bool { SecretArena.usage.kind == .memfdSecret }
}

private struct Other: Equatable {
  let bytes: [UInt8]
  let error: String
}

/// The 34 bytes of the pattern's length that `/proc/self/mem` shows, or nil when it answers EIO.
private func read(_ address: UInt) -> [UInt8]? {
  let file = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
  defer { close(file) }
  var bytes = [UInt8](repeating: 0, count: 34)
  let count = unsafe pread(file, &bytes, bytes.count, off_t(address))
  return count < 0 && errno == EIO ? nil : Array(bytes.prefix(max(count, 0)))
}

private func readByAnother(_ address: UInt) throws -> Other {
  let output = Pipe()
  let errors = Pipe()
  let dd = Process()
  dd.executableURL = URL(fileURLWithPath: "/bin/dd")
  dd.arguments = [
    "if=/proc/\(getpid())/mem", "iflag=skip_bytes,count_bytes", "skip=\(address)", "count=34",
    "status=none",
  ]
  dd.environment = ["LC_ALL": "C"]
  dd.standardOutput = output
  dd.standardError = errors
  try dd.run()
  let bytes = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
  let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  dd.waitUntilExit()
  return Other(bytes: bytes, error: text)
}

/// The `VmFlags` of the mapping that holds `address`.
private func mappingFlags(at address: UInt) throws -> Set<String> {
  let smaps =
    try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/smaps")).readToEnd() ?? Data()
  var isInside = false
  for line in String(decoding: smaps, as: UTF8.self).split(separator: "\n") {
    let words = line.split(separator: " ")
    if words[0] == "VmFlags:", isInside { return Set(words.dropFirst().map(String.init)) }
    let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
    if ends.count == 2 { isInside = ends[0] <= address && address < ends[1] }
  }
  return []
}
