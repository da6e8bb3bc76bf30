import ApplePay
import Crypto
import Format
import Foundation
import Host
import KistClient
import TestSupport
import Testing
@testable import Sandbox

/// One test PKI with its merchants for all tests: its keys take a while to make.
struct Scene: Sendable {
  let pki: TestApplePKI
  let merchants: [TestMerchant: CertifiedKey]

  /// Within the certificates' time; nothing here looks at the real clock.
  static let now = Timestamp(seconds: 1_790_000_000)

  static func ready() throws -> Scene {
    try #require(TestArena.ready)
    return try made.get()
  }

  private static let made = Result { () throws -> Scene in
    let pki = try TestApplePKI.make()
    let merchants = try TestMerchant.allCases.map { ($0, try pki.certify($0)) }
    return Scene(pki: pki, merchants: Dictionary(uniqueKeysWithValues: merchants))
  }

  func merchant(_ merchant: TestMerchant) throws -> CertifiedKey {
    try #require(merchants[merchant])
  }

  func mint(
    _ version: ApplePayTokenVersion, _ payment: TestPayment = TestPayment(),
    defect: TokenDefect? = nil
  ) throws -> MintedToken {
    try TokenMint(pki).mint(
      payment, for: merchant(.opening(version)).certificate, signedAt: Self.now, defect: defect)
  }

  var verifier: PaymentTokenVerifier {
    get throws { PaymentTokenVerifier(anchor: try TrustAnchor(pki.root.certificate)) }
  }

  /// Verifies and opens as the daemon does; the plaintext may leave its buffer, it is no one's.
  func open(
    _ json: [UInt8], with key: CertifiedKey, verifier: PaymentTokenVerifier? = nil,
    now: Timestamp = now
  ) throws -> [UInt8] {
    let verifier = try verifier ?? self.verifier
    let merchant = try key.certificate.merchantIdentifierHash()
    let fields = try ApplePayTokenJSON(json.span)
    let (ephemeral, wrapped): ([UInt8], [UInt8]) =
      switch fields.keySource {
      case .ephemeralPublicKey(let key): (key, [])
      case .wrappedKey(let key): ([], key)
      }
    let data = fields.data
    let signature = fields.signature
    let application = fields.applicationData
    let publicKeyHash = fields.publicKeyHash
    let transaction = fields.transactionID
    let token = try PaymentToken(
      version: fields.version, data: data.span, signature: signature.span,
      ephemeralPublicKey: ephemeral.span, wrappedKey: wrapped.span,
      publicKeyHash: publicKeyHash.span, transactionID: transaction.span,
      applicationData: application.span)
    let verified = try verifier.verify(token, now: now, window: 300)
    let opener = try PaymentTokenOpener(verified, key: key.key, merchantIdentifierHash: merchant)
    let plaintext = try opener.open()
    return plaintext.bytes.indices.map { plaintext.bytes[$0] }
  }
}

/// A directory that goes with its owner.
final class Folder: Sendable {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent(
    "kist-sandbox-\(UUID().uuidString)"
  ).path

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }

  func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: url(name)), as: UTF8.self)
  }
  func write(_ name: String, _ text: String) throws { try Data(text.utf8).write(to: url(name)) }

  func mode(_ name: String) throws -> Int {
    try #require(
      FileManager.default.attributesOfItem(atPath: url(name).path)[.posixPermissions] as? Int)
  }

  private func url(_ name: String) -> URL { URL(fileURLWithPath: path + "/" + name) }
}

/// The error a call throws, or nil.
func refusal<R>(_ call: () throws(SandboxError) -> R) -> SandboxError? {
  do throws(SandboxError) {
    _ = try call()
    return nil
  } catch { return error }
}

/// One sandbox for all tests that only read it.
struct SharedSandbox: SuiteTrait, TestScoping {
  @TaskLocal static var current: SandboxDirectory?

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try #require(TestArena.ready)
    let folder = try Folder()
    try await Self.$current.withValue(
      SandboxDirectory.make(folder.path, user: 1000, now: Scene.now), operation: function)
    withExtendedLifetime(folder) {}
  }
}
