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
    case .decryptOnly, .encryptOnly, .generateOnly, .signOnly, .verifyOnly, .deriveOnly, .variants: self == other
    }
  }
}
