import Ceremony
import Crypto
import Format
import Foundation
import Host
import KeyStore
import KistClient

/// Secrets that exist only while the daemon works, computed here from what it was given and what it
/// answered.
enum PassingSecrets {
  /// Z and the derived key of each of these EC tokens. SP 800-56A 5.8.1, with Apple's OtherInfo.
  static func of(_ tokens: ArraySlice<Oracle.Token>, _ key: TestDaemon.MerchantKey) throws
    -> [String: [UInt8]]
  {
    let pem = Array(key.pem.utf8)
    guard let agreement = try PrivateKeyFile.decode(pem.span, passphrase: nil).key else {
      throw TestDaemon.Failure("no key")
    }
    let otherInfo =
      [13] + Array("id-aes256-GCMApple".utf8) + SHA256.hash(Array(key.merchant.utf8)).bytes
    var secrets: [String: [UInt8]] = [:]
    for (number, token) in zip(tokens.indices, tokens) {
      guard case .ephemeralPublicKey(let spki) = token.token.keySource else { continue }
      let point = Array(spki.suffix(65))
      let z = try agreement.agree(with: point.span)
      let derived = try OneStepKDF.sha256(z: z.bytes, otherInfo: otherInfo.span, count: 32)
      // The right key, or looking for it shows nothing.
      guard try opens(token.token.data, derived.bytes) else {
        throw TestDaemon.Failure("another key than the daemon's")
      }
      secrets["z-\(number)"] = z.bytes.array
      secrets["derived-\(number)"] = derived.bytes.array
    }
    return secrets
  }

  private static func opens(_ sealed: [UInt8], _ key: Span<UInt8>) throws -> Bool {
    let iv = [UInt8](repeating: 0, count: 16)
    let aad = [UInt8]()
    let tag = sealed.count - 16
    let opened = try AESGCM.open(
      key: key, iv: iv.span, ciphertext: sealed.span.extracting(0..<tag),
      tag: sealed.span.extracting(tag..<sealed.count), aad: aad.span)
    return opened.count == tag
  }

  /// What the KEK gives a store [KS-DERIVE].
  static func of(kek: [UInt8]) throws -> [String: [UInt8]] {
    let salt: [UInt8] = []
    var secrets: [String: [UInt8]] = [:]
    for name in ["kbpk", "manifest", "counters"] {
      let info = Array("kist/\(name)/v1".utf8)
      let derived = try HKDFSHA256.derive(
        secret: kek.span, salt: salt.span, info: info.span, count: 32)
      secrets[name] = derived.bytes.array
    }
    return secrets
  }

  /// A P-256 key with its scalar.
  static func signer() throws -> (key: TestDaemon.MerchantKey, id: [UInt8], scalar: [UInt8]) {
    let key = try PrivateKey.generate(.p256)
    let serialised = try key.serialised()
    let der = serialised.bytes.array
    let pem =
      "-----BEGIN EC PRIVATE KEY-----\n\(Data(der).base64EncodedString(options: .lineLength64Characters))\n-----END EC PRIVATE KEY-----\n"
    // RFC 5915: SEQUENCE, version 1, OCTET STRING of 32 bytes.
    return (
      TestDaemon.MerchantKey(label: "key/signer", role: .signingECDSA, pem: pem, merchant: ""),
      Array(SHA256.hash(key.spki).bytes.prefix(16)),
      Array(der[7..<39])
    )
  }

  /// The nonce k of each signature, and its inverse: k = (h + r d) / s.
  static func nonces(_ signatures: [(message: [UInt8], signature: [UInt8])], _ scalar: [UInt8])
    throws -> [String: [UInt8]]
  {
    let script = """
      import hashlib, sys
      from cryptography.hazmat.primitives.asymmetric import ec
      from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
      n = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
      d = int(sys.argv[1], 16)
      for number, line in enumerate(sys.stdin):
          message, signature = (bytes.fromhex(word) for word in line.split())
          r, s = decode_dss_signature(signature)
          k = (int.from_bytes(hashlib.sha256(message).digest(), "big") + r * d) * pow(s, -1, n) % n
          assert ec.derive_private_key(k, ec.SECP256R1()).public_key().public_numbers().x % n == r
          print(f"nonce-{number}", k.to_bytes(32, "big").hex())
          print(f"inverse-{number}", pow(k, -1, n).to_bytes(32, "big").hex())
      """
    let lines = signatures.map { "\(Hex.encode($0.message)) \(Hex.encode($0.signature))\n" }
      .joined()
    let text = String(
      decoding: try Oracle.run(
        [Oracle.python, "-c", script, Hex.encode(scalar)], input: Data(lines.utf8)), as: UTF8.self)
    var secrets: [String: [UInt8]] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      secrets[String(words[0])] = Hex.decode(Array(words[1].utf8).span)
    }
    guard secrets.count == 2 * signatures.count else { throw TestDaemon.Failure("not all nonces") }
    return secrets
  }
}
