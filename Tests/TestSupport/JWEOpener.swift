package import Crypto
import Format
package import Host

/// Opens what was released to a partner: a JWE in compact serialisation (RFC 7516 §7.1) with
/// A256GCM.
///
/// It shares no code with the writing of JWEs, so that neither hides a mistake of the other.
package enum JWEOpener {
  package enum Key: ~Copyable {
    case privateKey(PrivateKey)
    case shared(SecretBuffer)
  }

  package struct Opened: ~Copyable {
    /// The protected header's JSON.
    package let header: String
    package let plaintext: SecretBuffer
  }

  /// - Throws: `CryptoError.invalidInput` for what is no such JWE for this kind of key,
  ///   `.authenticationFailed` for one that was changed.
  package static func open(_ text: String, with key: borrowing Key) throws(CryptoError) -> Opened {
    let pieces = text.split(separator: ".", omittingEmptySubsequences: false)
    let parts = pieces.compactMap { decode($0) }
    guard pieces.count == 5, parts.count == 5 else { throw .invalidInput }
    let header = String(decoding: parts[0], as: UTF8.self)
    guard header.contains("\"enc\":\"A256GCM\""), parts[2].count == 12, parts[4].count == 16 else {
      throw .invalidInput
    }
    let content = try contentKey(header, parts[1], key)
    let aad = Array(pieces[0].utf8)
    let iv = parts[2]
    let ciphertext = parts[3]
    let tag = parts[4]
    let plaintext = try AESGCM.open(
      key: content.bytes, iv: iv.span, ciphertext: ciphertext.span, tag: tag.span, aad: aad.span)
    return Opened(header: header, plaintext: plaintext)
  }

  private static func contentKey(_ header: String, _ wrapped: [UInt8], _ key: borrowing Key)
    throws(CryptoError) -> SecretBuffer
  {
    switch key {
    case .privateKey(let key):
      guard key.kind == .p256 else {
        guard member("alg", of: header) == "RSA-OAEP-256" else { throw .invalidInput }
        return try key.decryptOAEP(wrapped.span)
      }
      guard member("alg", of: header) == "ECDH-ES", wrapped.isEmpty, let x = bytes("x", of: header),
        let y = bytes("y", of: header)
      else { throw .invalidInput }
      let point = [4] + x + y
      let z = try key.agree(with: point.span)
      let otherInfo: [UInt8] =
        [0, 0, 0, 7] + Array("A256GCM".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]
      return try OneStepKDF.sha256(z: z.bytes, otherInfo: otherInfo.span)
    case .shared(let shared):
      guard member("alg", of: header) == "A256GCMKW", let iv = bytes("iv", of: header),
        let tag = bytes("tag", of: header)
      else { throw .invalidInput }
      return try AESGCM.open(
        key: shared.bytes, iv: iv.span, ciphertext: wrapped.span, tag: tag.span)
    }
  }

  /// The text of a member, wherever in the header it is; the writer's own names are unique there.
  private static func member(_ name: String, of header: String) -> String? {
    guard let start = header.range(of: "\"\(name)\":\"") else { return nil }
    return header[start.upperBound...].split(separator: "\"", omittingEmptySubsequences: false)
      .first.map { String($0) }
  }

  private static func bytes(_ name: String, of header: String) -> [UInt8]? {
    member(name, of: header).flatMap { decode(Substring($0)) }
  }

  private static func decode(_ text: Substring) -> [UInt8]? {
    let standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    guard !standard.contains("="), text.allSatisfy({ $0 != "+" && $0 != "/" }) else { return nil }
    return Base64.decode(
      standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4))
  }
}

extension String {
  /// The first place of a text; Foundation's is not at hand.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
