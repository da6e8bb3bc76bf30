import Crypto
import Format
import Foundation
import KeyStore
import KistClient
import TestSupport

/// Apple and the payment networks, played by an implementation that shares no code with ours.
struct OracleIssuer {
  static let clock = "2025-06-01T12:00:00Z"
  static let visaKey = Hex.decode("0123456789abcdeffedcba9876543210") ?? []
  static let (visa, mastercard, hotp, totp, sealing) = (
    "issuer/acme/visa", "issuer/acme/mastercard", "issuer/acme/hotp", "issuer/acme/totp",
    "issuer/acme/sealing"
  )
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("oracle_issuer.py").path

  let root, intermediate, leaf: [UInt8]
  let leafKey, rsaKey: String
  private let rsaDER: [UInt8]

  init() throws {
    let output = try Oracle.run([Oracle.python, Self.script, Oracle.script.path, "pki"])
    guard let json = try JSONSerialization.jsonObject(with: output) as? [String: String] else {
      throw TestDaemon.Failure("no PKI")
    }
    func der(_ name: String) -> [UInt8] { [UInt8](Data(base64Encoded: json[name] ?? "") ?? Data()) }
    root = der("root")
    intermediate = der("intermediate")
    leaf = der("leaf")
    rsaDER = der("rsaDER")
    leafKey = json["leafKey"] ?? ""
    rsaKey = json["rsaKey"] ?? ""
  }

  /// A daemon with a key of each role of an issuer's.
  func daemon(
    kind: StoreKind = .rehearsal, policy: String? = nil, clock: String? = OracleIssuer.clock
  ) throws -> TestDaemon {
    var options = TestDaemon.Options()
    options.kind = kind
    options.root = root
    options.clock = clock
    options.policy = policy ?? Self.policy()
    guard let counted = OTPCode(step: nil, window: 3, failures: 3, lockout: 60),
      let timed = OTPCode(digits: 8, step: 30, window: 1)
    else {
      throw TestDaemon.Failure("no such code")
    }
    let secret = Array("12345678901234567890".utf8)
    options.issuerKeys = [
      TestDaemon.IssuerKey(
        label: Self.visa, role: .otpVisa, data: Self.visaKey, otp: .visa(keySet: "123456.1"),
        notAfter: Timestamp("2030-01-01T00:00:00Z")),
      TestDaemon.IssuerKey(
        label: Self.mastercard, role: .otpMastercard, data: rsaDER,
        otp: .mastercard(alias: "issuer.1")),
      TestDaemon.IssuerKey(label: Self.hotp, role: .otpHOTP, data: secret, otp: .code(counted)),
      TestDaemon.IssuerKey(label: Self.totp, role: .otpTOTP, data: secret, otp: .code(timed)),
      TestDaemon.IssuerKey(
        label: Self.sealing, role: .sealing, data: [UInt8](repeating: 7, count: 32)),
    ]
    return try TestDaemon(options)
  }

  static func policy(stages: Bool = true, releases: Bool = true) -> String {
    """
    [[grant]]
    id = "issuer"
    users = [\(getuid())]
    operations = ["provision-pass", "provision-trace", "sign-otp", "verify-otp", "list-keys", "describe-key", "seal"]
    keys = ["issuer/acme/*"]
    \(releases ? "release = [\"dpan\"]" : "")
    stages = \(stages)
    rate = "100000/s"
    """
  }

  /// What the other side finds in each.
  func open(_ items: [[String: String]]) throws -> [String] {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kist-issuer-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try JSONSerialization.data(withJSONObject: items).write(to: file)
    let command = "exec \"$0\" \"$1\" \"$2\" open < \"$3\""
    let output = try Oracle.run([
      "sh", "-c", command, Oracle.python, Self.script, Oracle.script.path, file.path,
    ])
    guard let texts = try JSONSerialization.jsonObject(with: output) as? [String],
      texts.count == items.count
    else {
      throw TestDaemon.Failure("not all were opened")
    }
    return texts
  }

  func item(_ pass: ProvisionedPass) -> [String: String] {
    [
      "kind": "pass", "key": leafKey, "ephemeral": Hex.encode(pass.ephemeralPublicKey),
      "data": Hex.encode(pass.encryptedPassData),
    ]
  }

  static func item(visa otp: String) -> [String: String] {
    ["kind": "visa", "key": Hex.encode(visaKey), "otp": otp]
  }

  func item(tav json: String, pan: String, expiry: String, reference: String = "") -> [String:
    String]
  {
    [
      "kind": "tav", "key": rsaKey, "json": json, "pan": pan, "expiry": expiry,
      "reference": reference,
    ]
  }
}

extension Client {
  func id(_ label: String) throws -> [UInt8] {
    guard let key = try listKeys(prefix: label).first(where: { $0.label == label }) else {
      throw TestDaemon.Failure("no key \(label)")
    }
    return key.id
  }
}
