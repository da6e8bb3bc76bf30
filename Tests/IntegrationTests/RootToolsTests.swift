import Format
import Foundation
import KistClient
import TestSupport
import Testing

/// What docs/THREATS.md says under "What root's tools can do": what they get of memory that nobody
/// can read, whom the kernel refuses, and what is seen.
@Suite(
  .serialized, .enabled(if: Oracle.isPresent && getuid() == 0, "needs ../shared/oracle and root"))
struct RootToolsTests {
  @Test(
    "perf copies secret stacks for root and for three capabilities, for nobody else, and not through a filter"
  )
  func perf() throws {
    let scene = try SigningProbe()
    defer { scene.end() }
    let nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    let withNothing = nobody + ["--inh-caps=-all", "--bounding-set=-all"]
    func with(_ capability: String) -> [String] {
      nobody + ["--inh-caps", "+" + capability, "--ambient-caps", "+" + capability]
    }
    let root = try scene.sampled(by: [])
    guard root != "refused ENOSYS" else { return print("perf: this kernel has none") }
    for launcher in [[], with("perfmon"), with("sys_admin"), with("sys_ptrace")] {
      let said = try scene.sampled(by: launcher)
      #expect(
        said.hasPrefix("samples ") && !said.hasSuffix(" found 0"),
        "THREATS says that this is open: \(launcher) \(said)")
    }
    for launcher in [withNothing, with("bpf")] {
      #expect(try scene.sampled(by: launcher) == "refused EACCES", "\(launcher)")
    }
    #expect(try scene.sampled(by: [], ["filtered"]) == "refused EPERM")
    let powerless = ["setpriv", "--bounding-set", "-perfmon,-sys_admin,-sys_ptrace"]
    #expect(try scene.sampled(by: powerless) == "refused EACCES", "root without the three")
  }

  @Test("a uprobe gets a private exponent whole") func uprobe() throws {
    // OpenSSL calls this function where it does not use AVX-512.
    let scene = try SigningProbe(environment: [Processor.variable: ":~0x80230000"])
    defer { scene.end() }
    #if arch(x86_64)
      let argument = "d=+0(+0(%dx)):x64[16]"
    #else
      let argument = "d=+0(+0(%x2)):x64[16]"
    #endif
    guard let call = try scene.library.probed("BN_mod_exp_mont_consttime", argument) else { return }
    let words = call.matches(of: /0x([0-9a-f]+)(?=[,}])/).map {
      Array(repeating: "0", count: 16).joined() + $0.output.1
    }
    let seen = words.reversed().map { $0.suffix(16) }.joined()
    #expect(
      [scene.secrets["rsa-dp"], scene.secrets["rsa-dq"]].contains { $0.map(Hex.encode) == seen },
      "\(call)")
  }

  @Test("[OP-STATUS-5] a probe in a library of the daemon's is told, and still when it is gone")
  func told() throws {
    let library = try PrivateLibrary()
    defer { library.remove() }
    let daemon = try TestDaemon(
      TestDaemon.Options(environment: ["LD_LIBRARY_PATH": library.directory.path]))
    defer { daemon.stop() }
    let words = [
      TestDaemon.executable("kist").path, "status", "--memory", "--socket", daemon.operators.path,
    ]
    let before = String(decoding: try Oracle.run(words), as: UTF8.self)
    #expect(
      before.contains(/\nheld +no probe stands/) && before.contains(/\nperf +in this kernel/),
      "\(before)")
    // For each answer a checkpoint is signed.
    let services = daemon.services
    let isOver = Locked(false)
    let caller = Thread { while !isOver.withLock({ $0 }) { _ = try? Client(services).random(8) } }
    caller.start()
    guard try library.probed("EVP_DigestSign") != nil else { return }
    #expect(try !Client(daemon.operators).status().codeIntact)
    #expect(throws: TestDaemon.Failure.self) { try Oracle.run(words) }
    isOver.withLock { $0 = true }
    #expect(daemon.stop() == 0)
    let next = try daemon.restarted()
    defer { next.stop() }
    #expect(try Client(next.operators).status().codeIntact)
  }
}

/// A process that signs with an RSA key on a secret stack, on which words of that key lie.
private final class SigningProbe {
  let secrets: [String: [UInt8]]
  let library: PrivateLibrary
  private let process = Process()
  private let file: URL

  init(environment: [String: String] = [:]) throws {
    let keys = try Oracle(count: 0).keys
    secrets = try ResidueTests.keyComponents(of: keys)
    library = try PrivateLibrary()
    file = library.directory.appendingPathComponent("key")
    try TestDaemon.write(keys[1].pem, to: file)
    let input = Pipe()
    let output = Pipe()
    process.executableURL = TestDaemon.executable("stack-probe")
    process.arguments = [file.path, "secret", "600"]
    process.environment = Processor.environment.merging(["LD_LIBRARY_PATH": library.directory.path])
    { $1 }
    .merging(environment) { $1 }
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(planted))
    guard output.fileHandleForReading.readData(ofLength: 1).count == 1 else {
      throw TestDaemon.Failure("it has not signed")
    }
  }

  private var planted: [UInt8] { (secrets["rsa-p"] ?? []).reversed() }

  /// What the sampler says that this starts.
  func sampled(by launcher: [String], _ more: [String] = []) throws -> String {
    let words =
      launcher + [
        TestDaemon.executable("sample-stacks").path, String(process.processIdentifier), "1",
      ] + more
    let said = try Oracle.run(words, input: Data((Hex.encode(planted) + "\n").utf8))
    return String(decoding: said, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  func end() {
    kill(process.processIdentifier, SIGKILL)
    library.remove()
  }
}

/// OpenSSL's library as a file of its own, so that a probe in it is in no other process.
private struct PrivateLibrary {
  let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kist-lib-" + UUID().uuidString.prefix(8))
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let linked = String(
      decoding: try Oracle.run(["ldd", TestDaemon.executable("kistd-keys").path]), as: UTF8.self)
    let path = try #require(linked.firstMatch(of: /libcrypto\.so\.3 => (\S+)/)).output.1
    // Not the link that it may be.
    try Data(contentsOf: URL(fileURLWithPath: String(path))).write(to: URL(fileURLWithPath: file))
  }

  private var file: String { directory.path + "/libcrypto.so.3" }

  /// What a uprobe shows of the next call of a function, and of its argument; nil, and a line,
  /// where the kernel has no tracefs.
  func probed(_ function: String, _ argument: String...) throws -> String? {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "Support/uprobe.py")
    let said = String(
      decoding: try Oracle.run([Oracle.python, script.path, file, function] + argument),
      as: UTF8.self)
    if said == "no tracefs\n" { print("uprobes: this kernel has no tracefs") }
    return said == "no tracefs\n" ? nil : said
  }

  func remove() { try? FileManager.default.removeItem(at: directory) }
}
