import Ceremony
import Crypto
import Format
import Foundation
import Host
import KeyStore
import KistClient
import TestSupport

/// A daemon with a key of each kind whose secret numbers are known, and callers who have all of
/// them used at once.
final class BusyScene: @unchecked Sendable {
  enum Step: Int, CaseIterable {
    case open, signRSA, signECDSA, agree, hmac, cmac, seal, code, check, unlock
  }

  let daemon: TestDaemon
  private(set) var secrets: [String: [UInt8]]
  private let tokens: [Oracle.Token]
  private let ids: [String: [UInt8]]
  private let scalar: [UInt8]
  private let peer: [UInt8]
  private let claimd: ScriptedClaimd?
  private let counts = Locked<[Step: Int]>([:])
  private let signatures = Locked<[(message: [UInt8], signature: [UInt8])]>([])

  private static let passphrase = "passphrase of a busy store"
  /// The keys by which the codes of so many people are claimed are looked for.
  private static let mostPeople = 200
  /// Of so many signatures the nonces are looked for.
  private static let mostSignatures = 3000

  /// - Parameter fleet: the host's name in a fleet; nil for in none.
  init(tokens count: Int, fleet: String?) throws {
    guard TestArena.ready else { throw TestDaemon.Failure("no arena") }
    let oracle = try Oracle(count: count)
    tokens = oracle.tokens
    let signer = try PassingSecrets.signer()
    let other = try Oracle(count: 0)
    let agreement = other.keys[0].renamed("key/agreement", .agreement)
    let rsa = other.keys[1].renamed("key/rsa", .signingRSA)
    var symmetric: [TestDaemon.IssuerKey] = []
    secrets = try ResidueTests.keyComponents(of: oracle.keys).merging(
      Self.named("other-", ResidueTests.keyComponents(of: other.keys))
    ) { first, _ in first }
    let codes = [
      KeyRole.otpHOTP: OTPCode(step: nil, window: 3), .otpTOTP: OTPCode(step: 30, window: 1),
    ]
    for role in [KeyRole.macHMACSHA256, .macCMAC, .sealing, .otpHOTP, .otpTOTP] {
      let bytes = (0..<32).map { _ in UInt8.random(in: 0...255) }
      secrets.merge(ResidueTests.parts(ofHMACKey: bytes, role.rawValue)) { first, _ in first }
      symmetric.append(
        TestDaemon.IssuerKey(
          label: "key/" + role.rawValue, role: role, data: bytes,
          otp: (codes[role] ?? nil).map { .code($0) }))
      guard role == .otpTOTP, fleet != nil else { continue }
      // [FLEET-CLAIM-2]
      for person in 0..<Self.mostPeople {
        let message = Array("kist/otp-claim/v1\0\(Self.person(person))".utf8)
        secrets["code-key-\(person)"] = try HMACSHA256.authenticate(key: bytes.span, message.span)
          .bytes
      }
    }
    if fleet != nil {
      secrets.merge(ResidueTests.parts(ofHMACKey: TestDaemon.fleetKey, "fleet")) { first, _ in first
      }
    }
    var options = TestDaemon.Options(
      passphrase: Self.passphrase, root: oracle.root, clock: Oracle.clock, policy: Self.policy,
      fleet: fleet)
    options.keys = oracle.keys + [signer.key, agreement, rsa]
    options.issuerKeys = symmetric
    let daemon = try TestDaemon(options)
    self.daemon = daemon
    claimd = try fleet.map { _ in try ScriptedClaimd(daemon) }

    secrets["kek"] = [UInt8](try Data(contentsOf: daemon.directory.appendingPathComponent("kek")))
    try secrets.merge(PassingSecrets.of(kek: secrets["kek"] ?? [])) { first, _ in first }
    secrets["passphrase"] = Array(Self.passphrase.utf8)
    secrets["signer"] = signer.scalar
    let pair = try PrivateKey.generate(.p256)
    let pem = Array(agreement.pem.utf8)
    guard let key = try PrivateKeyFile.decode(pem.span, passphrase: nil).key else {
      throw TestDaemon.Failure("no key")
    }
    let spki = pair.spki
    let z = try key.agree(withPeer: spki.span)
    secrets["z"] = z.bytes.array
    for (name, value) in try PassingSecrets.of(oracle.tokens[...], oracle.keys[0]) {
      secrets[name] = value
    }
    scalar = signer.scalar
    peer = pair.spki
    let client = try Client(daemon.services)
    ids = Dictionary(try client.listKeys(prefix: "key/").map { ($0.label, $0.id) }) { first, _ in
      first
    }
  }

  /// How often each was done.
  var done: [Step: Int] { counts.withLock { $0 } }
  var hasDoneAll: Bool { Step.allCases.allSatisfy { done[$0] ?? 0 > 0 } }

  /// Of the signatures that were made last.
  func nonces() throws -> [String: [UInt8]] {
    try PassingSecrets.nonces(signatures.withLock { $0 }, scalar)
  }

  /// Callers who go on until they are stopped; one of them locks and unlocks the store.
  func start() -> Load {
    Load(callers: 6, at: daemon.services) { [self] client, turn in
      let step = Step.allCases[turn / 6 % Step.allCases.count]
      guard step != .unlock || turn % 6 == 0 else { return }
      // Some come while the store is locked, or find a token opened already.
      guard case .success = Result(catching: { try self.take(step, client, turn) }) else { return }
      counts.withLock { $0[step, default: 0] += 1 }
    }
  }

  private func take(_ step: Step, _ client: Client, _ turn: Int) throws {
    let message = Array("turn \(turn)".utf8)
    switch step {
    case .open: _ = try client.openPaymentToken(tokens[turn % tokens.count].token).amount
    case .signRSA: _ = try client.sign(message, with: id("key/rsa"), .rsaPKCS1SHA256)
    case .signECDSA:
      let signature = try client.sign(message, with: id("key/signer"), .ecdsaP256SHA256)
      signatures.withLock { if $0.count < Self.mostSignatures { $0.append((message, signature)) } }
    case .agree: try client.release(client.agree(id("key/agreement"), with: peer))
    case .hmac: _ = try client.mac(message, under: .stored(id("key/mac-hmac-sha256"))).count
    case .cmac: _ = try client.mac(message, under: .stored(id("key/mac-cmac"))).count
    case .seal:
      _ = try client.unseal(client.seal(message.span, under: .stored(id("key/sealing")))).count
    case .code: _ = try client.signOTP(subject: "person", key: id("key/otp-hotp")).counter
    case .check:
      let person = Self.person(turn / Step.allCases.count)
      let code = try client.signOTP(subject: person, key: id("key/otp-totp")).withValue { $0.array }
      _ = try client.verifyOTP(code.span, subject: person, key: id("key/otp-totp"))
    case .unlock:
      let operators = try Client(daemon.operators)
      _ = try operators.call(.lock)
      try operators.unlock(Self.passphrase)
    }
  }

  private static func person(_ turn: Int) -> String { "person \(turn % mostPeople)" }

  private func id(_ label: String) -> [UInt8] { ids[label] ?? [] }

  private static func named(_ prefix: String, _ secrets: [String: [UInt8]]) -> [String: [UInt8]] {
    Dictionary(uniqueKeysWithValues: secrets.map { (prefix + $0.key, $0.value) })
  }

  /// A listing shows the keys of the first grant that allows it.
  private static let policy =
    """
    [[grant]]
    id = "busy"
    users = [\(getuid())]
    operations = ["list-keys", "sign", "ecdh", "release-handle", "mac", "seal", "unseal", "sign-otp", "verify-otp"]
    keys = ["key/*"]
    rate = "1000000/s"

    """ + TestDaemon.everything
}

extension TestDaemon.MerchantKey {
  fileprivate func renamed(_ label: String, _ role: KeyRole) -> Self {
    var key = self
    key.label = label
    key.role = role
    key.merchant = ""
    return key
  }
}
