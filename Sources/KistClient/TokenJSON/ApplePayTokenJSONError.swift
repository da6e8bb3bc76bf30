internal import Format

/// The members of a token and its header, with their names in JSON.
package enum ApplePayTokenMember: String, CaseIterable, Sendable {
  case version, data, signature, header
  case ephemeralPublicKey, wrappedKey, publicKeyHash
  case transactionID = "transactionId"
  case applicationData
}

/// Why a text is not a payment token.
package enum ApplePayTokenJSONError: Error, Equatable, Sendable {
  /// Neither JSON nor base64 of JSON.
  case notJSON
  /// UTF-8 with a byte order mark.
  case byteOrderMark
  /// JSON in UTF-16.
  case utf16
  /// An object contains the same member name twice.
  case duplicate
  /// Longer, more deeply nested or with more values than any token.
  case limits
  /// The JSON is not an object, or too many objects are nested around a token.
  case notToken
  case missing(ApplePayTokenMember)
  /// The member is of the wrong kind, or not base64 or hex.
  case malformed(ApplePayTokenMember)
  /// The member is an empty string, although others are not.
  case empty(ApplePayTokenMember)
  /// A version other than `EC_v1` and `RSA_v1`.
  case unknownVersion
  /// A token from Apple's simulator: its fields are empty, and nothing can open it.
  case simulator
}

/// All reasons why a text is not a payment token.
package struct ApplePayTokenFlaws: Error, Equatable, Sendable {
  package let first: ApplePayTokenJSONError
  package let others: [ApplePayTokenJSONError]

  package var all: [ApplePayTokenJSONError] { [first] + others }

  init(_ first: ApplePayTokenJSONError, _ others: [ApplePayTokenJSONError] = []) { (self.first, self.others) = (first, others) }
}

extension ApplePayTokenJSONError {
  /// Maps the reason why the whole text cannot be read.
  init(_ error: JSONReaderError) {
    switch error {
    case .duplicateName: self = .duplicate
    case .tooDeep, .tooMany, .tooLong: self = .limits
    case .malformed, .wrongKind, .leftover: self = .notJSON
    }
  }
}
