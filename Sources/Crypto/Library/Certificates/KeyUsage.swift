/// The keyUsage extension (RFC 5280 §4.2.1.3), with OpenSSL's bit values.
package struct KeyUsage: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let digitalSignature = KeyUsage(rawValue: 0x80)
  package static let keyEncipherment = KeyUsage(rawValue: 0x20)
  package static let keyAgreement = KeyUsage(rawValue: 0x08)
  package static let certificateSigning = KeyUsage(rawValue: 0x04)
  package static let crlSigning = KeyUsage(rawValue: 0x02)
}
