import Foundation
import Host
import Testing

@Suite struct PageBufferTests {
  private func bytes(_ buffer: borrowing PageBuffer) -> [UInt8] {
    (0..<buffer.pages.count).map { buffer.pages[$0] }
  }

  @Test(
    "what is appended stands before zeros, in whole pages; full pages go, and the rest moves to the front",
    arguments: [0, 1, 4095, 4096, 4097, 20_000])
  func wholePages(_ count: Int) throws {
    let given = (0..<count).map { UInt8(truncatingIfNeeded: $0 | 1) }
    var buffer = try PageBuffer()
    for part in [given.prefix(count / 3), given.dropFirst(count / 3)] {
      try buffer.append(Array(part).span)
    }
    let padding = count.roundedUpToPage - count
    #expect(bytes(buffer) == given + [UInt8](repeating: 0, count: padding))
    buffer.dropFullPages()
    let rest = given.suffix(count - count.roundedDownToPage)
    #expect(bytes(buffer) == (rest.isEmpty ? [] : rest + [UInt8](repeating: 0, count: padding)))
    // Nothing is left of the pages that went.
    try buffer.append([7].span)
    #expect(bytes(buffer) == rest + [7] + [UInt8](repeating: 0, count: 4095 - rest.count))
  }

  @Test("zeros are whole pages", arguments: [(1, 4096), (4096, 4096), (65_537, 69_632)]) func zeros(
    _ asked: Int, _ size: Int
  ) throws {
    #expect(bytes(try PageBuffer(zeros: asked)) == [UInt8](repeating: 0, count: size))
  }

  @Test func aFileSystemThatHasOnlyItsCacheIsWrittenThroughIt() throws {
    // The kernel refuses O_DIRECT there.
    _ = try File("/proc/self/oom_score_adj", .updateDirect, on: LinuxDisk())
  }

  @Test func aFileIsWrittenPastThePageCacheInWholePagesAndReadAsEver() throws {
    let disk = LinuxDisk()
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kist-\(UUID().uuidString)"
    ).path
    #expect(throws: DiskError(.open, errno: ENOENT)) { _ = try File(path, .updateDirect, on: disk) }
    _ = try File(path, .create(mode: 0o600), on: disk)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = try File(path, .updateDirect, on: disk)
    var buffer = try PageBuffer()
    try buffer.append([UInt8](repeating: 5, count: 5000).span)
    try file.write(buffer.pages, at: 4096)
    var read = [UInt8](repeating: 9, count: 12_288)
    var span = read.mutableSpan
    #expect(try File(path, .read, on: disk).read(into: &span, at: 0) == 12_288)
    #expect(
      read == [UInt8](repeating: 0, count: 4096) + [UInt8](repeating: 5, count: 5000)
        + [UInt8](repeating: 0, count: 3192))
    #expect(throws: DiskError(.open, errno: ELOOP)) {
      try FileManager.default.createSymbolicLink(atPath: path + ".link", withDestinationPath: path)
      defer { try? FileManager.default.removeItem(atPath: path + ".link") }
      _ = try File(path + ".link", .updateDirect, on: disk)
    }
  }
}
