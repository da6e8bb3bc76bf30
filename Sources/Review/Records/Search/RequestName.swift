internal import Crypto
internal import Format

/// How a person names a request: by its id, 16 digits, or by a text that stands for one, such as an HTTP request's `X-Request-Id`.
///
/// The Python client makes the same number of the same text: 16 hexadecimal digits are the number, unless that is zero, which no client
/// sends by itself; of any other text it is the first 8 bytes of SHA-256.
package struct RequestName: Hashable, Sendable {
  package let number: UInt64

  package init(_ text: String) {
    let digits = text.utf8.count == 16 ? Hex.decode(text).map { UInt64(bigEndian: $0.span, at: 0) } : nil
    number = digits.flatMap { $0 == 0 ? nil : $0 } ?? UInt64(bigEndian: SHA256.hash(Array(text.utf8)).bytes.span, at: 0)
  }
}
