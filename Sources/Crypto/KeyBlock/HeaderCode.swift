/// Two ASCII characters, digits or upper-case letters: the form of most header fields.
package struct HeaderCode: Hashable, Sendable {
  package let first, second: UInt8

  package init?(_ first: UInt8, _ second: UInt8) {
    guard Self.allowed(first), Self.allowed(second) else { return nil }
    (self.first, self.second) = (first, second)
  }

  package var characters: [UInt8] { [first, second] }

  private init(trusted pair: (Unicode.Scalar, Unicode.Scalar)) {
    (first, second) = (UInt8(ascii: pair.0), UInt8(ascii: pair.1))
  }

  private static func allowed(_ character: UInt8) -> Bool {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    default: false
    }
  }
}

extension HeaderCode: CustomStringConvertible {
  package var description: String { String(decoding: characters, as: UTF8.self) }
}

/// The key usages that this project writes (X9.143 §5.3.2, table 2); any other well-formed pair can be read.
extension HeaderCode {
  /// Data encryption key for sensitive data.
  package static let sensitiveDataEncryption = HeaderCode(trusted: ("D", "3"))
  /// Symmetric key for data encryption.
  package static let dataEncryption = HeaderCode(trusted: ("D", "0"))
  /// Asymmetric key for data encryption.
  package static let asymmetricDataEncryption = HeaderCode(trusted: ("D", "1"))
  /// Key encryption or wrapping.
  package static let keyEncryption = HeaderCode(trusted: ("K", "0"))
  /// Key block protection key.
  package static let keyBlockProtection = HeaderCode(trusted: ("K", "1"))
  /// Asymmetric key for key agreement or wrapping.
  package static let keyAgreement = HeaderCode(trusted: ("K", "3"))
  /// CMAC (ISO 9797-1 algorithm 5).
  package static let cmac = HeaderCode(trusted: ("M", "6"))
  /// HMAC key.
  package static let hmac = HeaderCode(trusted: ("M", "7"))
  /// Asymmetric key pair for digital signature.
  package static let digitalSignature = HeaderCode(trusted: ("S", "0"))
}

/// Identifiers of optional blocks (X9.143 §6.2).
extension HeaderCode {
  /// HMAC hash algorithm.
  package static let hashAlgorithm = HeaderCode(trusted: ("H", "M"))
  /// Key serial number of a DUKPT key.
  package static let keySerialNumber = HeaderCode(trusted: ("K", "S"))
  /// Check value of the wrapped key.
  package static let keyCheckValue = HeaderCode(trusted: ("K", "C"))
  /// Check value of the KBPK.
  package static let protectionKeyCheckValue = HeaderCode(trusted: ("K", "P"))
  package static let label = HeaderCode(trusted: ("L", "B"))
  package static let padding = HeaderCode(trusted: ("P", "B"))
  /// When the key was created.
  static let timeOfCreation = HeaderCode(trusted: ("T", "C"))

  /// Whether the data of an optional block with this identifier is hexadecimal; otherwise it is any printable text.
  var isHexadecimal: Bool {
    [.hashAlgorithm, .keyCheckValue, .protectionKeyCheckValue, .keySerialNumber].contains(self)
  }
}
