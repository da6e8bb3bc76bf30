import Foundation
import KeyStore
import KistClient
import TestSupport

/// Tokens from an implementation that shares no code with ours, under a test root of its own.
struct Oracle {
  struct Token {
    /// Apple's JSON, and what is in it.
    let json: [UInt8]
    let token: PaymentToken
    let plaintext: String
    let applicationData: String?
  }

  static let clock = "2025-06-01T12:00:00Z"
  static let script = Vectors.root.deletingLastPathComponent().appendingPathComponent(
    "oracle/oracle.py")
  static let python = ProcessInfo.processInfo.environment["KIST_PYTHON"] ?? "python3"
  static let isPresent = FileManager.default.fileExists(atPath: script.path)

  let root: [UInt8]
  let keys: [TestDaemon.MerchantKey]
  let tokens: [Token]

  init(count: Int) throws {
    let generator = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("oracle_tokens.py")
    let output = try Self.run([
      Self.python, generator.path, Self.script.path, String(count), Self.clock,
    ])
    guard let json = try JSONSerialization.jsonObject(with: output) as? [String: Any],
      let root = json["root"] as? String,
      let identifier = json["identifier"] as? String, let ec = json["ecKey"] as? String,
      let rsa = json["rsaKey"] as? String,
      let tokens = json["tokens"] as? [[String: Any]]
    else { throw TestDaemon.Failure("the oracle's output is not what it should be") }
    self.root = [UInt8](Data(base64Encoded: root) ?? Data())
    keys = [
      TestDaemon.MerchantKey(
        label: "merchant/oracle/processing-ec", role: .merchantProcessingEC, pem: ec,
        merchant: identifier),
      TestDaemon.MerchantKey(
        label: "merchant/oracle/processing-rsa", role: .merchantProcessingRSA, pem: rsa,
        merchant: identifier),
    ]
    self.tokens = try tokens.map { token in
      let text = try JSONSerialization.data(withJSONObject: token["token"] as Any)
      return Token(
        json: [UInt8](text), token: try PaymentToken(appleJSON: [UInt8](text)),
        plaintext: token["plaintext"] as? String ?? "",
        applicationData: token["applicationData"] as? String)
    }
  }

  /// A daemon that trusts the oracle's root and stands at its clock.
  func daemon(
    policy: String? = nil, extra: String = "", clock: String = Oracle.clock,
    symmetricKeys: [(label: String, role: KeyRole)] = []
  ) throws -> TestDaemon {
    var options = TestDaemon.Options()
    options.root = root
    options.clock = clock
    options.keys = keys
    options.policy = policy
    options.extra = extra
    options.symmetricKeys = symmetricKeys
    return try TestDaemon(options)
  }

  static func run(_ words: [String], input: Data? = nil) throws -> Data {
    // From a file: a pipe that is full would block this side, which is the one that reads the
    // answers.
    let source = FileManager.default.temporaryDirectory.appending(path: "kist-oracle-\(UUID())")
    try (input ?? Data()).write(to: source)
    defer { try? FileManager.default.removeItem(at: source) }
    let process = Process(), output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardOutput = output
    process.standardInput = try FileHandle(forReadingFrom: source)
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw TestDaemon.Failure("\(words[0]) ended with \(process.terminationStatus)")
    }
    return data
  }
}
