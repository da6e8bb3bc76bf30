import Crypto
import Format
import Foundation
import Host
import KeyStore
import KistClient
import TestSupport
import Testing

/// What another process, running as root, reads of threads at work: of no key anything.
@Suite(
  .serialized, .enabled(if: Oracle.isPresent && getuid() == 0, "needs ../shared/oracle and root"))
struct StackResidueTests {
  /// How often all memory is read; the long form is 20,000 times in all.
  private static let rounds = LongForm.isOn ? 10_000 : 100

  @Test(
    "the scan finds what a thread that signs has on an ordinary stack, and nothing where the stack is secret"
  )
  func control() throws {
    let oracle = try Oracle(count: 0)
    let secrets = try ResidueTests.keyComponents(of: oracle.keys)
    let prime = try #require(secrets["rsa-p"])
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kist-probe-" + UUID().uuidString.prefix(8))
    defer { try? FileManager.default.removeItem(at: file) }
    try TestDaemon.write(oracle.keys[1].pem, to: file)
    for kind in ["ordinary", "secret"] {
      let probe = Process()
      probe.executableURL = TestDaemon.executable("stack-probe")
      probe.arguments = [file.path, kind, "600"]
      let input = Pipe()
      let output = Pipe()
      probe.standardInput = input
      probe.standardOutput = output
      try probe.run()
      defer { kill(probe.processIdentifier, SIGKILL) }
      // In OpenSSL's order of words, the least first.
      try input.fileHandleForWriting.write(contentsOf: Data(prime.reversed()))
      #expect(output.fileHandleForReading.readData(ofLength: 1).count == 1, "it has not signed")
      let scan = try LiveScan(probe.processIdentifier, rounds: 200, for: secrets)
      let result = try scan.finish(isControl: kind == "ordinary")
      #expect(probe.isRunning && result.figures["refused"] ?? 0 > 0)
      if kind == "secret" {
        #expect(result.finds == [])
      } else {
        let planted = result.finds.count {
          $0.hasPrefix("rsa-p reversed ") && $0.hasSuffix(" stack")
        }
        #expect(planted == prime.count / 16, "the scan misses what lies there: \(result.finds)")
      }
    }
  }

  @Test(
    "nothing of a key, a nonce or a shared secret in the daemon's memory while every kind of operation runs; alone, and in a fleet",
    arguments: [nil, "paris"])
  func daemon(fleet: String?) throws {
    let scene = try BusyScene(tokens: 60, fleet: fleet)
    defer { scene.daemon.stop() }
    let load = scene.start()
    var scans: [LiveScan] = []
    // On a busy machine, which is slow to do all, the rounds of one scan are too few.
    repeat {
      let scan = try LiveScan(scene.daemon.pid, rounds: Self.rounds, for: scene.secrets)
      scan.waitForRounds()
      scans.append(scan)
    } while !scene.hasDoneAll && scans.count < 20
    load.stop()
    let nonces = try scene.nonces()
    for scan in scans {
      let result = try scan.finish(lookingFor: nonces)
      #expect(result.finds == [])
      // The arena and the stacks, in every round.
      #expect(result.figures["refused"] ?? 0 >= Self.rounds * (16 << 20))
      #expect(result.figures["read"] ?? 0 > Self.rounds << 20 && result.figures["pages"] ?? 0 > 0)
    }
    let done = scene.done
    for operation in BusyScene.Step.allCases {
      #expect(done[operation] ?? 0 > 0, "\(operation) was never done")
    }
  }

  /// Encrypted with so many rounds that the command works for a while before it has the key.
  @Test(
    "nothing of a key or a passphrase in the command's memory while it imports, and while it unlocks"
  ) func command() throws {
    try #require(TestArena.ready)
    let signer = try PassingSecrets.signer()
    let passphrase = "passphrase of a key file"
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kist-key-" + UUID().uuidString.prefix(8))
    defer { try? FileManager.default.removeItem(at: file) }
    let options = [
      "-topk8", "-v2", "aes-256-cbc", "-iter", "300000", "-passout", "pass:" + passphrase,
    ]
    try TestDaemon.write(
      String(
        decoding: Oracle.run(["openssl", "pkcs8"] + options, input: Data(signer.key.pem.utf8)),
        as: UTF8.self), to: file)
    for words in [
      ["key", "import", file.path, "--label", "key/a", "--role", "signing-ecdsa"], ["unlock"],
    ] {
      let server = try SilentServer()
      defer { server.remove() }
      let process = Process()
      let input = Pipe()
      process.executableURL = TestDaemon.executable("kist")
      process.arguments = words + ["--passphrase-fd", "0", "--socket", server.path]
      process.standardInput = input
      process.standardError = FileHandle.nullDevice
      try process.run()
      defer { kill(process.processIdentifier, SIGKILL) }
      // Before it reads its passphrase it has its arena.
      try eventually {
        try String(contentsOfFile: "/proc/\(process.processIdentifier)/maps", encoding: .utf8)
          .contains("secretmem")
      }
      let scan = try LiveScan(
        process.processIdentifier, rounds: 200,
        for: ["scalar": signer.scalar, "passphrase": Array(passphrase.utf8)])
      try input.fileHandleForWriting.write(contentsOf: Data((passphrase + "\n").utf8))
      try input.fileHandleForWriting.close()
      let request = server.request()
      let secret = words[0] == "key" ? signer.scalar : Array(passphrase.utf8)
      #expect(request.firstRange(of: secret) != nil, "it has not come to its secret")
      let result = try scan.finish()
      #expect(result.finds == [])
      #expect(result.figures["refused"] ?? 0 >= 4 << 20)
    }
  }
}
