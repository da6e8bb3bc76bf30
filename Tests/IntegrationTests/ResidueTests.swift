import CLinux
import Crypto
import Format
import Foundation
import Host
import KistClient
import TestSupport
import Testing

/// What another process, running as root, can read of the daemon: nothing that is secret.
@Suite(
  .serialized, .enabled(if: Oracle.isPresent && getuid() == 0, "needs ../shared/oracle and root"))
struct ResidueTests {
  @Test(
    "no key, key component, PAN or plaintext outside the arena: idle, under load, after a failure, after lock; alone, and in a fleet",
    arguments: [nil, "paris"])
  func residue(fleet: String?) throws {
    let oracle = try Oracle(count: 60)
    try #require(TestArena.ready)
    let signer = try PassingSecrets.signer()
    let canary = "canary-\(UUID().uuidString)"
    let daemon = try TestDaemon(
      TestDaemon.Options(

        passphrase: "residue of a passphrase", root: oracle.root, clock: Oracle.clock,
        keys: oracle.keys + [signer.key], policy: Self.policy,
        fleet: fleet,
        environment: Processor.environment.merging(["KIST_TEST_CANARY": canary]) { $1 }))
    defer { daemon.stop() }
    let store = ScriptedStore()
    let claimd = try fleet.map { _ in try ScriptedClaimd(daemon, store) }
    var secrets = try Self.keyComponents(of: oracle.keys)
    if fleet != nil {
      secrets.merge(Self.parts(ofHMACKey: TestDaemon.fleetKey, "fleet")) { first, _ in first }
    }
    secrets["kek"] = [UInt8](try Data(contentsOf: daemon.directory.appendingPathComponent("kek")))
    try secrets.merge(PassingSecrets.of(kek: secrets["kek"] ?? [])) { first, _ in first }
    // The last of each part of the load: what is likeliest to be left over.
    for part in [26..<30, 36..<40, 56..<60] {
      try secrets.merge(PassingSecrets.of(oracle.tokens[part], oracle.keys[0])) { first, _ in first
      }
    }
    secrets["signing-scalar"] = signer.scalar
    for number in [7, 35, 45] {
      // From the number on: what comes before it is a name that the program has too.
      let plaintext = Array(oracle.tokens[number].plaintext.utf8)
      let pan = Array(String(4_000_000_000_000_000 + number).utf8)
      let start = try #require(plaintext.firstRange(of: pan)?.lowerBound)
      secrets["plaintext-\(number)"] = Array(plaintext[start...].prefix(48))
    }
    secrets["passphrase"] = Array("residue of a passphrase".utf8)

    // The scan finds what is there to be found.
    let control = try Self.scan(daemon.pid, ["canary": Array(canary.utf8)])
    #expect(
      control.finds.contains { $0.hasPrefix("canary bytes ") }, "the scan finds nothing at all")
    #expect(control.figures["read"] ?? 0 > 1 << 20)
    // The arena itself cannot be read.
    #expect(control.figures["refused"] ?? 0 >= 16 << 20)

    try Self.expectNothing(of: secrets, in: daemon, "idle")
    let client = try Client(daemon.services)
    for token in oracle.tokens.prefix(30) { _ = try client.openPaymentToken(token.token).amount }
    try Self.expectNothing(of: secrets, in: daemon, "after load")
    for token in oracle.tokens[30..<40] {
      #expect {
        _ = try client.openPaymentToken(token.token, expecting: PaymentExpectation(currency: "000"))
          .amount
      } throws: {
        refusal("rejected", "expectation")($0)
      }
    }
    try Self.expectNothing(of: secrets, in: daemon, "after failures")
    let endpoint = daemon.services
    let rest = oracle.tokens[40...].map(\.token)
    try Self.scanWhile(daemon, secrets) {
      let client = try Client(endpoint)
      for token in rest { _ = try client.openPaymentToken(token).amount }
    }
    var signatures: [(message: [UInt8], signature: [UInt8])] = []
    for number in 0..<8 as Range<UInt8> {
      let message = [number, 1, 2, 3]
      signatures.append((message, try client.sign(message, with: signer.id, .ecdsaP256SHA256)))
    }
    try Self.expectNothing(
      of: PassingSecrets.nonces(signatures, signer.scalar), in: daemon, "after signing")
    let operators = try Client(daemon.operators)
    _ = try operators.call(.lock)
    try operators.unlock("residue of a passphrase")
    try Self.expectNothing(of: secrets, in: daemon, "after a passphrase")
    _ = try operators.call(.lock)
    try Self.expectNothing(of: secrets, in: daemon, "after lock")
    // Also of those that failed.
    #expect(store.count == (fleet == nil ? 0 : oracle.tokens.count), "not claimed")
    claimd?.hangUp()
  }

  @Test("no key and no passphrase in what can be read of the command that brings them")
  func command() throws {
    let signer = try PassingSecrets.signer()
    let passphrase = "passphrase of a key file"
    let canary = "canary-\(UUID().uuidString)"
    let server = try SilentServer()
    defer { server.remove() }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kist-key-" + UUID().uuidString.prefix(8))
    defer { try? FileManager.default.removeItem(at: file) }
    let encrypted = try Oracle.run(
      ["openssl", "pkcs8", "-topk8", "-v2", "aes-256-cbc", "-passout", "pass:" + passphrase],
      input: Data(signer.key.pem.utf8))
    try TestDaemon.write(String(decoding: encrypted, as: UTF8.self), to: file)

    let process = Process()
    let input = Pipe()
    process.executableURL = TestDaemon.executable("kist")
    process.arguments = [
      "key", "import", file.path, "--label", "key/a", "--role", "signing-ecdsa", "--passphrase-fd",
      "0", "--socket", server.path,
    ]
    process.environment = Processor.environment.merging(["KIST_TEST_CANARY": canary]) { $1 }
    process.standardInput = input
    process.standardError = FileHandle.nullDevice
    try process.run()
    // Not terminate(): it has inherited a worker thread's mask, and would let that wait.
    defer { kill(process.processIdentifier, SIGKILL) }
    try input.fileHandleForWriting.write(contentsOf: Data((passphrase + "\n").utf8))
    try input.fileHandleForWriting.close()

    // It waits for an answer that never comes, and had the key a moment ago.
    let request = server.request()
    #expect(request.firstRange(of: signer.scalar) != nil, "the command has not sent the key")
    let control = try Self.scan(process.processIdentifier, ["canary": Array(canary.utf8)])
    #expect(
      control.finds.contains { $0.hasPrefix("canary bytes ") }, "the scan finds nothing at all")
    let found = try Self.scan(
      process.processIdentifier, ["scalar": signer.scalar, "passphrase": Array(passphrase.utf8)])
    #expect(found.finds == [])
  }

  @Test("ptrace by the same user is refused, and a crash leaves no core") func dumps() throws {
    let daemon = try TestDaemon()
    #expect(try Client(daemon.operators).status().dumpable == false)
    let limits = try String(contentsOfFile: "/proc/\(daemon.pid)/limits", encoding: .utf8)
    #expect(
      limits.split(separator: "\n").contains {
        $0.hasPrefix("Max core file size")
          && $0.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"]
      })
    let tracer = """
      import ctypes, os, subprocess, sys
      ptrace = ctypes.CDLL(None, use_errno=True).ptrace
      child = subprocess.Popen(["sleep", "60"], stdout=subprocess.DEVNULL)
      print(ptrace(16, child.pid, 0, 0), ptrace(16, int(sys.argv[1]), 0, 0))
      # Not child.kill(): that takes the stop of a traced child for its end, and lets it stand.
      os.kill(child.pid, 9)
      """
    let withoutRights = ["setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace"]
    let attached = try Oracle.run(
      withoutRights + [Oracle.python, "-c", tracer, String(daemon.pid)])
    #expect(
      String(decoding: attached, as: UTF8.self) == "0 -1\n", "its own child, and not the daemon")
    kill(daemon.pid, SIGSEGV)
    daemon.wait()
    let left = try FileManager.default.contentsOfDirectory(
      atPath: FileManager.default.currentDirectoryPath)
    #expect(!left.contains { $0 == "core" || $0.hasPrefix("core.") })
  }

  private static let policy =
    TestDaemon.everything
    + "\n[[grant]]\nid = \"signer\"\nusers = [\(getuid())]\noperations = [\"sign\"]\nkeys = [\"key/*\"]\n"

  /// An HMAC's key, and what HMAC makes of it.
  static func parts(ofHMACKey key: [UInt8], _ name: String) -> [String: [UInt8]] {
    [name: key, name + "-inner": key.map { $0 ^ 0x36 }, name + "-outer": key.map { $0 ^ 0x5C }]
  }

  static func expectNothing(of secrets: [String: [UInt8]], in daemon: TestDaemon, _ moment: String)
    throws
  {
    let finds = try scan(daemon.pid, secrets).finds
    #expect(finds == [], "\(moment)")
  }

  static func scan(_ pid: Int32, _ secrets: [String: [UInt8]]) throws -> LiveScan.Result {
    try LiveScan(pid, rounds: 1, for: secrets).finish()
  }

  /// Scans again and again while `load` runs.
  static func scanWhile(
    _ daemon: TestDaemon, _ secrets: [String: [UInt8]],
    _ load: @escaping @Sendable () throws -> Void
  ) throws {
    let done = DispatchSemaphore(value: 0)
    Foundation.Thread.detachNewThread {
      try? load()
      done.signal()
    }
    var finds: [String] = []
    repeat {
      finds += try scan(daemon.pid, secrets).finds
    } while done.wait(timeout: .now()) == .timedOut
    #expect(finds == [], "during load")
  }

  /// The secret numbers of an EC and an RSA key: the scalar, and d, p, q and the CRT values.
  static func keyComponents(of keys: [TestDaemon.MerchantKey]) throws -> [String: [UInt8]] {
    let script = """
      import sys
      from cryptography.hazmat.primitives import serialization as ser
      for name in ("ec", "rsa"):
          key = ser.load_pem_private_key(open(sys.argv[1] + "/" + name, "rb").read(), None).private_numbers()
          values = dict(scalar=key.private_value) if name == "ec" else dict(d=key.d, p=key.p, q=key.q, dp=key.dmp1, dq=key.dmq1, qinv=key.iqmp)
          for part, value in values.items():
              print(name + "-" + part, value.to_bytes((value.bit_length() + 7) // 8, "big").hex())
      """
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kist-keys-" + UUID().uuidString.prefix(8))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, key) in zip(["ec", "rsa"], keys) {
      try TestDaemon.write(key.pem, to: folder.appendingPathComponent(name))
    }
    let text = String(
      decoding: try Oracle.run([Oracle.python, "-c", script, folder.path]), as: UTF8.self)
    var parts: [String: [UInt8]] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      parts[String(words[0])] = stride(from: 0, to: words[1].count, by: 2).compactMap {
        UInt8(words[1].dropFirst($0).prefix(2), radix: 16)
      }
    }
    guard parts.count == 7 else { throw TestDaemon.Failure("not all key components") }
    return parts
  }
}
