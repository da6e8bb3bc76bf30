package import Format
package import KistClient

/// A finished token, with Apple's names for its fields.
package struct MintedToken: Sendable {
  package let keySource: ApplePayTokenJSON.KeySource
  /// Ciphertext and 16-byte tag.
  package let data: [UInt8]
  /// CMS SignedData.
  package let signature: [UInt8]
  /// 32 bytes each; application data may be empty.
  package let publicKeyHash, transactionID, applicationData: [UInt8]

  package var version: ApplePayTokenVersion {
    switch keySource {
    case .ephemeralPublicKey: .ecV1
    case .wrappedKey: .rsaV1
    }
  }

  /// Apple's `paymentData`, one line.
  package var json: [UInt8] {
    let (ephemeral, wrapped): (CanonicalJSON?, CanonicalJSON?) =
      switch keySource {
      case .ephemeralPublicKey(let key): (.string(Base64.encode(key)), nil)
      case .wrappedKey(let key): (nil, .string(Base64.encode(key)))
      }
    let token: CanonicalJSON = [
      "data": .string(Base64.encode(data)),
      "header": [
        "applicationData": applicationData.isEmpty ? nil : .string(Hex.encode(applicationData)), "ephemeralPublicKey": ephemeral,
        "publicKeyHash": .string(Base64.encode(publicKeyHash)), "transactionId": .string(Hex.encode(transactionID)), "wrappedKey": wrapped,
      ],
      "signature": .string(Base64.encode(signature)), "version": .string(version.name),
    ]
    return token.serialised
  }
}
