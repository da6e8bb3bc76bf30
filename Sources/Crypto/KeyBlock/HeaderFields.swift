/// How a key block is protected: the first character of its text (X9.143 §5.3.1).
///
/// D is written and read. A, B and C use TDES and are only read, and only if the caller allows it.
/// Version E (counter mode) is not supported.
package enum KeyBlockVersion: UInt8, CaseIterable, Sendable {
  /// TDES under variants of the KBPK; a MAC of four bytes over the ciphertext.
  case a = 0x41
  /// TDES under keys derived with CMAC; a MAC of eight bytes over the plaintext.
  case b = 0x42
  /// As A, but with optional blocks.
  case c = 0x43
  /// AES under keys derived with CMAC; a MAC of sixteen bytes over the plaintext.
  case d = 0x44

  var cipher: BlockCipher {
    switch self {
    case .a, .b, .c: .tripleDES
    case .d: .aes
    }
  }

  /// The cipher's block size in bytes; header and block are multiples of as many characters.
  var unit: Int { cipher.blockSize }

  /// Whether the MAC is over the ciphertext; else over the plaintext.
  var authenticatesCiphertext: Bool {
    switch self {
    case .a, .c: true
    case .b, .d: false
    }
  }

  /// The size of the MAC in bytes.
  var macCount: Int {
    switch self {
    case .a, .c: 4
    case .b: 8
    case .d: 16
    }
  }
}

/// Two ASCII characters, digits or upper-case letters: the form of most header fields.
package struct HeaderCode: Hashable, Sendable {
  package let first, second: UInt8

  package init?(_ first: UInt8, _ second: UInt8) {
    guard Self.allowed(first), Self.allowed(second) else { return nil }
    self.first = first
    self.second = second
  }

  package var characters: [UInt8] { [first, second] }

  private init(trusted pair: (Unicode.Scalar, Unicode.Scalar)) {
    first = UInt8(ascii: pair.0)
    second = UInt8(ascii: pair.1)
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

/// The key usages that this project writes (X9.143 §5.3.2, table 2); any other well-formed pair can
/// be read.
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

  /// Whether the data of an optional block with this identifier is hexadecimal; otherwise it is any
  /// printable text.
  var isHexadecimal: Bool {
    [.hashAlgorithm, .keyCheckValue, .protectionKeyCheckValue, .keySerialNumber].contains(self)
  }
}

/// The algorithm of the wrapped key (X9.143 §5.3.3).
package enum KeyBlockAlgorithm: UInt8, CaseIterable, Sendable {
  case aes = 0x41  // A
  case des = 0x44  // D
  case ellipticCurve = 0x45  // E
  case hmac = 0x48  // H
  case rsa = 0x52  // R
  case dsa = 0x53  // S
  case tripleDES = 0x54  // T

  /// Whether the algorithm has keys of `count` bytes; in old machines' blocks, `T` also stands for
  /// single-length keys.
  func allows(byteCount count: Int, in version: KeyBlockVersion) -> Bool {
    switch self {
    case .aes: count == 16 || count == 24 || count == 32
    case .des: count == 8
    case .tripleDES: count == 16 || count == 24 || (count == 8 && version != .d)
    case .ellipticCurve, .hmac, .rsa, .dsa: count > 0
    }
  }

  /// The length to which shorter keys are padded, so that a block's length does not reveal its
  /// key's.
  var maskedByteCount: Int {
    switch self {
    case .aes, .hmac: 32
    case .des, .tripleDES: 24
    case .ellipticCurve, .rsa, .dsa: 0
    }
  }
}

/// What the wrapped key may be used for (X9.143 §5.3.4).
package enum ModeOfUse: UInt8, CaseIterable, Sendable {
  case encryptDecrypt = 0x42  // B
  case generateVerify = 0x43  // C
  case decryptOnly = 0x44  // D
  case encryptOnly = 0x45  // E
  case generateOnly = 0x47  // G
  case unrestricted = 0x4E  // N
  case signOnly = 0x53  // S
  case signDecrypt = 0x54  // T
  case verifyOnly = 0x56  // V
  case deriveOnly = 0x58  // X
  case variants = 0x59  // Y

  /// Whether this mode includes the uses of `other`.
  package func covers(_ other: ModeOfUse) -> Bool {
    switch self {
    case .unrestricted: true
    case .encryptDecrypt: [.encryptDecrypt, .encryptOnly, .decryptOnly].contains(other)
    case .generateVerify: [.generateVerify, .generateOnly, .verifyOnly].contains(other)
    case .signDecrypt: [.signDecrypt, .signOnly, .decryptOnly].contains(other)
    case .decryptOnly, .encryptOnly, .generateOnly, .signOnly, .verifyOnly, .deriveOnly, .variants:
      self == other
    }
  }
}

/// The key version number in a header (X9.143 §5.3.5): two digits or upper-case letters, or `c` and
/// the number of a component.
package struct KeyVersion: Hashable, Sendable {
  package let first, second: UInt8

  package init?(_ first: UInt8, _ second: UInt8) {
    guard HeaderCode(first == Self.component ? UInt8(ascii: "0") : first, second) != nil else {
      return nil
    }
    self.first = first
    self.second = second
  }

  /// `00`: key versioning is not used for this key.
  package static let unused = KeyVersion(trusted: UInt8(ascii: "0"))

  /// Whether this is only a component of a key.
  package var isComponent: Bool { first == Self.component }

  package var characters: [UInt8] { [first, second] }

  private static let component = UInt8(ascii: "c")

  private init(trusted both: UInt8) {
    first = both
    second = both
  }
}

/// Whether the wrapped key may be exported under another key (X9.143 §5.3.6).
package enum Exportability: UInt8, CaseIterable, Sendable {
  /// Under a KEK, in a form that meets X9.24.
  case exportable = 0x45  // E
  case nonExportable = 0x4E  // N
  /// Under a KEK, in any form.
  case sensitive = 0x53  // S
}
