/// Why a pass that an issuer's host made would not be added to a phone.
package enum PassFault: Error, Equatable, Sendable {
  /// The ephemeral public key is no point of P-256.
  case ephemeralKey
  /// Sealed for another key, or changed.
  case ciphertext
  /// What was sealed is not an object of texts in JSON.
  case notObject
  /// The members are those of none of Apple's configurations.
  case members
  /// The nonce is not one that this phone has signed.
  case nonce
  case activation(NetworkFault)
  case encryptedNumber(NetworkFault)
}

/// Why a payment network would not take a value.
package enum NetworkFault: Error, Equatable, Sendable {
  /// Neither Visa's form nor Mastercard's.
  case form
  /// Made under a key that the sandbox's network does not have.
  case key
  /// It does not decrypt under the key that it names.
  case decryption
  /// It is about another card or nonce than the pass.
  case contradiction
  /// Not signed by the issuer's key, or over another number or expiry.
  case signature
  /// No longer valid, or valid for longer than Mastercard allows.
  case time
}
