import Crypto
import Format
import Host
import TestSupport

/// Two classes of input to one function, whose answers a caller cannot tell apart.
struct Classes {
  /// Of one size; refused by `accepts`.
  let first, second: [UInt8]
  let accepts: (Span<UInt8>) -> Bool

  init(_ first: [UInt8], _ second: [UInt8], accepts: @escaping (Span<UInt8>) -> Bool) {
    self.first = first
    self.second = second
    self.accepts = accepts
  }

  /// An input that is wrong at `start`, or at its end.
  init(_ right: [UInt8], wrongFrom start: Int, accepts: @escaping (Span<UInt8>) -> Bool) {
    first = Self.changed(right, at: start)
    second = Self.changed(right, at: right.count - 1)
    self.accepts = accepts
  }

  /// Digits stay digits, hexadecimal or decimal.
  private static func changed(_ bytes: [UInt8], at place: Int) -> [UInt8] {
    var bytes = bytes
    bytes[place] = bytes[place] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
    return bytes
  }
}

/// What is measured, by dudect's method.
let timed: [String: @Sendable () throws -> Classes] = [
  "comparison": { comparing(ConstantTime.equal) }, "key-block-mac": keyBlock,
  "envelope-tag": envelope, "one-time-code": oneTimeCode,
  "oaep-first-byte": { try oaep("First byte is 1", "first byte of l_hash modified") },
  "oaep-padding": { try oaep("first byte of l_hash modified", "ps terminated by 0xff") },
  // Must be told apart, or the others prove nothing.
  "leaky-twin": { comparing(leaves) },
]

/// A comparison as nobody should write it: it leaves at the first difference.
func leaves(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
  for i in a.indices where a[i] != b[i] { return false }
  return true
}

private func comparing(_ equal: @escaping (Span<UInt8>, Span<UInt8>) -> Bool) -> Classes {
  let right = [UInt8](repeating: 0x5A, count: 32)
  return Classes(right, wrongFrom: 0) { equal($0, right.span) }
}

/// The MAC's digits are the last 32 characters.
private func keyBlock() throws -> Classes {
  let key = [UInt8](repeating: 1, count: 32)
  let kbpk = [UInt8](repeating: 2, count: 32)
  let header = try KeyBlockHeader(usage: .dataEncryption, algorithm: .aes, mode: .encryptDecrypt)
  let block = try KeyBlock.wrap(key: key.span, header: header, kbpk: kbpk.span)
  return Classes(block, wrongFrom: block.count - 32) {
    (try? KeyBlock.unwrap($0, kbpk: kbpk.span)) != nil
  }
}

private func envelope() throws -> Classes {
  let key = [UInt8](repeating: 1, count: 32)
  let id = [UInt8](repeating: 2, count: Envelope.keyIDSize)
  let text = [UInt8](repeating: 3, count: 64)
  let sealed = try Envelope.seal(text.span, key: key.span, id: id.span, associatedData: id.span)
  return Classes(sealed, wrongFrom: sealed.count - AESGCM.tagSize) {
    (try? Envelope($0).open(key: key.span, associatedData: id.span)) != nil
  }
}

private func oneTimeCode() throws -> Classes {
  let key = [UInt8](repeating: 1, count: 20)
  let code = try HOTP.code(key: key.span, counter: 5, digits: 6, hash: .sha1)
  return Classes(code.bytes.array, wrongFrom: 0) {
    guard let code = try? HOTP.code(key: key.span, counter: 5, digits: 6, hash: .sha1) else {
      return false
    }
    return ConstantTime.equal(code.bytes, $0)
  }
}

/// Wycheproof's ciphertexts with those comments. Each fails another of the checks of RFC 8017
/// §7.1.2, step 3g, which nobody may tell apart (J. Manger, "A Chosen Ciphertext Attack on RSA
/// Optimal Asymmetric Encryption Padding", CRYPTO 2001).
private func oaep(_ first: String, _ second: String) throws -> Classes {
  let cases = try Vectors.wycheproof("rsa_oaep_2048_sha256_mgf1sha256")
  func ciphertext(_ comment: String) throws -> [UInt8] {
    guard let found = try cases.first(where: { try $0.test.text("comment") == comment }) else {
      throw CryptoError.invalidInput
    }
    return try found.test.bytes("ct")
  }
  guard let der = try cases.first?.group.bytes("privateKeyPkcs8") else {
    throw CryptoError.invalidInput
  }
  let key = try PrivateKey(pkcs8DER: der.span)
  return Classes(try ciphertext(first), try ciphertext(second)) {
    (try? key.decryptOAEP($0)) != nil
  }
}
