package import Encoding
package import TokenJSON

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
    var header: [CanonicalJSON.Member] = [
      .init("publicKeyHash", .string(Base64.encode(publicKeyHash))), .init("transactionId", .string(Hex.encode(transactionID))),
    ]
    switch keySource {
    case .ephemeralPublicKey(let key): header.append(.init("ephemeralPublicKey", .string(Base64.encode(key))))
    case .wrappedKey(let key): header.append(.init("wrappedKey", .string(Base64.encode(key))))
    }
    if !applicationData.isEmpty { header.append(.init("applicationData", .string(Hex.encode(applicationData)))) }
    return CanonicalJSON.object([
      .init("version", .string(version.name)), .init("data", .string(Base64.encode(data))),
      .init("signature", .string(Base64.encode(signature))), .init("header", .object(header)),
    ]).serialised
  }
}
