/// Every operation there is; the number is the wire's, the raw value never changes and is never reused.
package enum Opcode: UInt16, CaseIterable, Sendable {
  case ping = 0x0001
  case describe = 0x0002
  case listKeys = 0x0003
  case describeKey = 0x0004
  case random = 0x0005

  case verifyPaymentToken = 0x0010
  case openPaymentToken = 0x0011

  // Operators' socket only.
  case status = 0x0100
  case unlock = 0x0101
  case lock = 0x0102
  case importKey = 0x0103

  /// As policy, audit and the command line write it.
  package var name: String {
    switch self {
    case .ping: "ping"
    case .describe: "describe"
    case .listKeys: "list-keys"
    case .describeKey: "describe-key"
    case .random: "random"
    case .verifyPaymentToken: "verify-payment-token"
    case .openPaymentToken: "open-payment-token"
    case .status: "status"
    case .unlock: "unlock"
    case .lock: "lock"
    case .importKey: "import-key"
    }
  }

  package init?(name: some StringProtocol) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}
