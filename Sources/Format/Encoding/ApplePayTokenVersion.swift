/// The token formats that Apple documents, with their numbers on our wire.
package enum ApplePayTokenVersion: UInt8, CaseIterable, Sendable {
  case ecV1 = 1
  case rsaV1 = 2

  /// The name in Apple's JSON.
  package var name: String {
    switch self {
    case .ecV1: "EC_v1"
    case .rsaV1: "RSA_v1"
    }
  }
}
