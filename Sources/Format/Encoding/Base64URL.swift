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
