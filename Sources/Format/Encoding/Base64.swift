import CConstantTime

/// Canonical base64 (RFC 4648 §4): full alphabet, padding, zero trailing bits, no line breaks.
///
/// Decoding uses arithmetic instead of tables indexed by secret data, so it is also fit for key
/// files.
package enum Base64 {
  package static func encode(_ bytes: [UInt8]) -> String { encode(bytes.span) }

  package static func encode(_ bytes: Span<UInt8>) -> String {
    var out: [UInt8] = []
    out.reserveCapacity((bytes.count + 2) / 3 * 4)
    for i in stride(from: 0, to: bytes.count, by: 3) {
      let left = bytes.count - i
      let group =
        UInt32(bytes[i]) << 16 | (left > 1 ? UInt32(bytes[i + 1]) << 8 : 0)
        | (left > 2 ? UInt32(bytes[i + 2]) : 0)
      out.append(character(UInt8(group >> 18 & 63)))
      out.append(character(UInt8(group >> 12 & 63)))
      out.append(left > 1 ? character(UInt8(group >> 6 & 63)) : padding)
      out.append(left > 2 ? character(UInt8(group & 63)) : padding)
    }
    return String(decoding: out, as: UTF8.self)
  }

  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    decode(Array(text.utf8).span)
  }

  package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
    guard let size = decodedCount(text) else { return nil }
    var out = [UInt8](repeating: 0, count: size)
    var span = out.mutableSpan
    return decode(text, into: &span) == size ? out : nil
  }

  /// The number of bytes that `text` decodes to, or nil if its length or padding is wrong.
  package static func decodedCount(_ text: Span<UInt8>) -> Int? {
    guard text.count.isMultiple(of: 4) else { return nil }
    guard text.count > 0 else { return 0 }
    return text.count / 4 * 3
      - (isPadding(text[text.count - 1]) ? isPadding(text[text.count - 2]) ? 2 : 1 : 0)
  }

  /// Where padding is tells the length alone.
  private static func isPadding(_ character: UInt8) -> Bool {
    kist_declassified(character == padding)
  }

  /// Decodes into the front of `out`.
  ///
  /// - Returns: the number of bytes written, or nil if `text` is not canonical or `out` is too
  ///   small.
  package static func decode(_ text: Span<UInt8>, into out: inout MutableSpan<UInt8>) -> Int? {
    guard let size = decodedCount(text), size <= out.count else { return nil }
    var written = 0
    for i in stride(from: 0, to: text.count, by: 4) {
      let wanted = min(3, size - written)
      var group: UInt32 = 0
      for k in 0..<4 {
        let digit = k <= wanted ? value(text[i + k]) : 0
        // Callers refuse other text.
        guard kist_declassified(digit < 64) else { return nil }
        group = group << 6 | UInt32(digit)
      }
      // The unused bits before padding must be zero, or two texts would mean the same bytes.
      guard wanted == 3 || kist_declassified(group & (wanted == 2 ? 0xFF : 0xFFFF) == 0) else {
        return nil
      }
      for k in 0..<wanted {
        out[written + k] = UInt8(truncatingIfNeeded: group >> (16 - 8 * UInt32(k)))
      }
      written += wanted
    }
    return written
  }

  private static let padding = UInt8(ascii: "=")

  private static func character(_ digit: UInt8) -> UInt8 {
    switch digit {
    case 0..<26: UInt8(ascii: "A") + digit
    case 26..<52: UInt8(ascii: "a") + digit - 26
    case 52..<62: UInt8(ascii: "0") + digit - 52
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
  }

  /// The digit's value, or 255; branch-free.
  private static func value(_ c: UInt8) -> UInt8 {
    let c = Int16(c)
    func inRange(_ low: Int16, _ high: Int16) -> Int16 { ~((c &- low) | (high &- c)) >> 15 }
    let found =
      inRange(65, 90) & (c &- 64) | inRange(97, 122) & (c &- 70) | inRange(48, 57) & (c &+ 5)
      | inRange(43, 43) & 63
      | inRange(47, 47) & 64
    return UInt8(truncatingIfNeeded: found &- 1)
  }
}

/// base64url without padding (RFC 4648 §5, RFC 7515 §2), for what is public.
package enum Base64URL {
  package static func encode(_ bytes: [UInt8]) -> String {
    String(
      decoding: Base64.encode(bytes).utf8.lazy.filter { $0 != UInt8(ascii: "=") }.map { byte in
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: byte
        }
      }, as: UTF8.self)
  }
}
