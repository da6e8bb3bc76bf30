package import Format

/// A member of the payment data that an issuer seals for Apple. The cases are in the order in which members are written, by name.
///
/// Source: Apple, "Getting Started with Apple Pay In-App Provisioning", table 9-1.
package enum PassMember: String, CaseIterable, Sendable {
  case encryptedPrimaryAccountNumber, expiration, name, networkName, nonce, nonceSignature
  case primaryAccountIdentifier, primaryAccountNumber, primaryAccountNumberPrefix, productType
}

extension PassConfiguration {
  package enum Presence: Sendable { case required, optional, absent }

  package func presence(of member: PassMember) -> Presence {
    switch (self, member) {
    case (_, .nonce), (_, .nonceSignature): .required
    case (_, .productType): .optional
    case (.accountNumber, .primaryAccountNumber), (.accountNumber, .name), (.accountNumber, .expiration): .required
    case (.accountIdentifier, .primaryAccountIdentifier): .required
    case (.encryptedAccountNumberUnnamed, .name): .optional
    case (.encryptedAccountNumber, .name): .required
    case (.encryptedAccountNumber, .encryptedPrimaryAccountNumber), (.encryptedAccountNumberUnnamed, .encryptedPrimaryAccountNumber),
      (.encryptedAccountNumber, .primaryAccountNumberPrefix), (.encryptedAccountNumberUnnamed, .primaryAccountNumberPrefix),
      (.encryptedAccountNumber, .networkName), (.encryptedAccountNumberUnnamed, .networkName):
      .required
    case (.accountNumber, _), (.accountIdentifier, _), (.encryptedAccountNumber, _), (.encryptedAccountNumberUnnamed, _): .absent
    }
  }
}
