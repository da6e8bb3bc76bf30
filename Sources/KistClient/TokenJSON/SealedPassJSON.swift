/// What an issuer's host answers an app, which hands it to Wallet in a `PKAddPaymentPassRequest`: an object with base64 in it.
///
/// The members are named as PassKit's properties are, or as `kist pass provision` prints them.
package struct SealedPassJSON: Equatable, Sendable {
  /// Ciphertext and tag.
  package let encryptedPassData: [UInt8]
  /// 65 bytes 04 ‖ X ‖ Y.
  package let ephemeralPublicKey: [UInt8]
  /// Empty if there is none.
  package let activationData: [UInt8]

  package init(encryptedPassData: [UInt8], ephemeralPublicKey: [UInt8], activationData: [UInt8]) {
    (self.encryptedPassData, self.ephemeralPublicKey, self.activationData) = (encryptedPassData, ephemeralPublicKey, activationData)
  }

  /// - Throws: the first member that is missing or malformed; other members are ignored, as an app ignores them.
  package init(_ text: Span<UInt8>) throws(PassJSONError) {
    let document = try PassDocument(text)
    encryptedPassData = try document.bytes(["encryptedPassData", "encrypted_pass_data"])
    ephemeralPublicKey = try document.bytes(["ephemeralPublicKey", "ephemeral_public_key"])
    activationData = try document.bytes(["activationData", "activation_data"])
  }
}
