import ApplePay
import Crypto
import Format
import Foundation
import Host
import KistClient
import TestSupport
import Testing
@testable import Sandbox

/// Apple, a phone and the networks, whose keys take a while to make, and an issuer that seals with
/// the daemon's own code.
struct PassScene: Sendable {
  let root: CertifiedKey
  let pki: TestProvisioningPKI
  private let visa: [UInt8]
  private let mastercard: CertifiedKey

  static let number = "4111111111111111"

  static func ready() throws -> PassScene {
    try #require(TestArena.ready)
    return try made.get()
  }

  private static let made = Result { () throws -> PassScene in
    let root = try Scene.ready().pki.root
    let networks = try TestNetworks.make(under: root)
    return PassScene(
      root: root, pki: try .make(under: root), visa: networks.visa.bytes.array,
      mastercard: networks.mastercard)
  }

  func networks<R>(_ body: (borrowing TestNetworks) throws -> R) throws -> R {
    let visa = visa
    return try body(TestNetworks(visa: SecretBuffer(copying: visa.span), mastercard: mastercard))
  }

  func signed(_ request: PassRequestJSON) -> Bool {
    let nonce = request.nonce
    let signature = request.nonceSignature
    return pki.phone.certificate.publicKey.verify(signature: signature.span, message: nonce.span)
  }

  /// The members of a card's number, with a fresh nonce, and those of `changes` in place of its
  /// own; nil leaves one out.
  func members(_ changes: [String: String?] = [:]) throws -> [String: String] {
    let request = try pki.passRequest()
    let own = ["primaryAccountNumber": Self.number, "expiration": "12/30", "name": "Zoë \"B\""]
    let nonces = [
      "nonce": Hex.encode(request.nonce), "nonceSignature": Hex.encode(request.nonceSignature),
    ]
    return changes.reduce(into: own.merging(nonces) { $1 }) { members, change in
      members[change.key] = change.value
    }
  }

  func seal(_ members: [String: String], activation: String = "") throws -> SealedPassJSON {
    try seal(
      JSONSerialization.data(withJSONObject: members, options: .sortedKeys).map(\.self),
      activation: activation)
  }

  func seal(_ text: [UInt8], activation: String = "") throws -> SealedPassJSON {
    let recipient = try #require(pki.leaf.certificate.publicKey.point)
    let sealed = try SealedPass(text.span, for: recipient.span)
    return SealedPassJSON(
      encryptedPassData: sealed.encryptedPassData, ephemeralPublicKey: sealed.ephemeralPublicKey,
      activationData: Array(activation.utf8))
  }

  func open(_ sealed: SealedPassJSON, asksNetworks: Bool = true, now: Timestamp = Scene.now)
    throws(SandboxError) -> OpenedPass
  {
    let networks: TestNetworks
    let visa = visa
    do throws(SecretMemoryError) {
      networks = TestNetworks(visa: try SecretBuffer(copying: visa.span), mastercard: mastercard)
    } catch {
      throw .crypto(.exhausted)
    }
    return try PassOpener(pki, networks, now: now).open(sealed, asksNetworks: asksNetworks)
  }

  func fault(_ sealed: SealedPassJSON, now: Timestamp = Scene.now) -> PassFault? {
    guard case .pass(let fault) = refusal({ () throws(SandboxError) in try open(sealed, now: now) })
    else { return nil }
    return fault
  }

  /// Visa's value about a card.
  func visa(
    _ kind: VisaType = .mbpad, number: String = number, expiry: String = "1230",
    keySet: String = TestIssuer.keySet
  ) throws -> String {
    let number = Array(number.utf8)
    let expiry = Array(expiry.utf8)
    let key = visa
    return text(
      try VisaOTP(kind, keySet: keySet).account(
        number: number.span, expiry: expiry.span, at: Scene.now, key: key.span))
  }

  /// Visa's value about a nonce.
  func visa(_ kind: VisaType, nonce: String) throws -> String {
    let nonce = try #require(Hex.decode(nonce))
    let code = Array("ZZLGEZ".utf8)
    let key = visa
    return text(
      try VisaOTP(kind, keySet: TestIssuer.keySet).activation(
        nonce: nonce.span, code: code.span, key: key.span))
  }

  func mastercard(
    _ version: MastercardTAV.Version, number: String = number, expiry: String = "1230",
    reference: String = "", alias: String = TestIssuer.keyAlias,
    by key: PrivateKey? = nil
  ) throws -> String {
    let number = Array(number.utf8)
    let expiry = Array(expiry.utf8)
    let reference = Array(reference.utf8)
    let value = try MastercardTAV(
      version, number: number.span, expiry: expiry.span, tokenReference: reference.span, until: nil,
      keyAlias: alias, at: Scene.now)
    return text(try value.sign(with: key ?? mastercard.key))
  }

  private func text(_ secret: borrowing SecretBuffer) -> String {
    String(decoding: secret.bytes.array, as: UTF8.self)
  }
}
