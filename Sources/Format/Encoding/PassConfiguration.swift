/// How a pass's payment data names the card: the columns of table 9-1 of Apple's guide, with their numbers on our wire.
package enum PassConfiguration: UInt8, CaseIterable, Sendable {
  /// By its number.
  case accountNumber = 1
  /// By an identifier that network and issuer share.
  case accountIdentifier = 2
  /// By its number, encrypted for the network; with or without the name, which Apple or the network may waive.
  case encryptedAccountNumber = 3
  case encryptedAccountNumberUnnamed = 4
}
