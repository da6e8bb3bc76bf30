internal import ApplePay
internal import Format
internal import KistClient

/// Which fields of a token have sizes that Apple never uses.
enum TokenSizes {
  static func problems(of json: ApplePayTokenJSON) -> [TokenProblem] {
    var fields: [(ApplePayTokenMember, Int, Bool)] = [
      (.data, json.data.count, PaymentToken.Sizes.data.contains(json.data.count)),
      (.signature, json.signature.count, PaymentToken.Sizes.signature.contains(json.signature.count)),
      (.publicKeyHash, json.publicKeyHash.count, json.publicKeyHash.count == PaymentToken.Sizes.digest),
      (.transactionID, json.transactionID.count, json.transactionID.count == PaymentToken.Sizes.digest),
      (.applicationData, json.applicationData.count, [0, PaymentToken.Sizes.digest].contains(json.applicationData.count)),
    ]
    switch json.keySource {
    case .ephemeralPublicKey(let key): fields.append((.ephemeralPublicKey, key.count, key.count == PaymentToken.Sizes.ephemeralPublicKey))
    case .wrappedKey(let key): fields.append((.wrappedKey, key.count, key.count == PaymentToken.Sizes.wrappedKey))
    }
    return fields.filter { !$0.2 }.map { .size($0.0, $0.1) }
  }

  /// The token with every field cut, or padded with zeros, to a size that Apple uses; the signature is unchanged.
  static func corrected(_ json: ApplePayTokenJSON) -> ApplePayTokenJSON {
    let keySource: ApplePayTokenJSON.KeySource =
      switch json.keySource {
      case .ephemeralPublicKey(let key):
        .ephemeralPublicKey(fitted(key, to: PaymentToken.Sizes.ephemeralPublicKey...PaymentToken.Sizes.ephemeralPublicKey))
      case .wrappedKey(let key): .wrappedKey(fitted(key, to: PaymentToken.Sizes.wrappedKey...PaymentToken.Sizes.wrappedKey))
      }
    let digest = PaymentToken.Sizes.digest...PaymentToken.Sizes.digest
    return ApplePayTokenJSON(
      keySource: keySource, data: fitted(json.data, to: PaymentToken.Sizes.data), signature: json.signature,
      publicKeyHash: fitted(json.publicKeyHash, to: digest), transactionID: fitted(json.transactionID, to: digest),
      applicationData: json.applicationData.isEmpty ? [] : fitted(json.applicationData, to: digest))
  }

  private static func fitted(_ bytes: [UInt8], to sizes: ClosedRange<Int>) -> [UInt8] {
    Array(bytes.prefix(sizes.upperBound)) + [UInt8](repeating: 0, count: max(0, sizes.lowerBound - bytes.count))
  }
}
