internal import ApplePay
internal import Encoding

/// Which fields of a token have a size that Apple's never have.
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
    case .wrappedKey(let key): fields.append((.wrappedKey, key.count, PaymentToken.Sizes.wrappedKey.contains(key.count)))
    }
    return fields.filter { !$0.2 }.map { .size($0.0, $0.1) }
  }
}
