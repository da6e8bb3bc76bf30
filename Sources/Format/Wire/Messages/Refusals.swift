/// The body of a `rejected` reply to a caller whose grant shows stages, or who required a field
/// that is not released; everyone else gets an empty one.
package struct Rejection: Message, Hashable, Sendable {
  package var stage = Stage.format
  /// Which field was at fault, where the stage is about one.
  package var field: PassField?
  /// The required field that is not released.
  package var releasedField: ReleasedField?
  package init() {}

  package init(stage: Stage, field: PassField? = nil, releasedField: ReleasedField? = nil) {
    self.stage = stage
    self.field = field
    self.releasedField = releasedField
  }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.enumeration(1, "stage", "Stage", &stage)
    try visitor.enumeration(2, "field", "PassField", &field)
    try visitor.enumeration(3, "released_field", "ReleasedField", &releasedField)
  }
}

/// A field of a provisioning request that can be named as the cause of a refusal; numbers are never
/// reused.
///
/// The first ten are the members of Apple's payment data in alphabetical order.
package enum PassField: UInt8, CaseIterable, Sendable {
  case encryptedPrimaryAccountNumber = 1
  case expiration = 2
  case name = 3
  case networkName = 4
  case nonce = 5
  case nonceSignature = 6
  case primaryAccountIdentifier = 7
  case primaryAccountNumber = 8
  case primaryAccountNumberPrefix = 9
  case productType = 10
  case accountEnvelope = 11
  case activation = 12
  case accountSurrogate = 13

  /// The name in audit records.
  package var name: String {
    switch self {
    case .encryptedPrimaryAccountNumber: "encrypted-primary-account-number"
    case .expiration: "expiration"
    case .name: "name"
    case .networkName: "network-name"
    case .nonce: "nonce"
    case .nonceSignature: "nonce-signature"
    case .primaryAccountIdentifier: "primary-account-identifier"
    case .primaryAccountNumber: "primary-account-number"
    case .primaryAccountNumberPrefix: "primary-account-number-prefix"
    case .productType: "product-type"
    case .accountEnvelope: "account-envelope"
    case .activation: "activation"
    case .accountSurrogate: "account-surrogate"
    }
  }
}

/// The body of a `malformed` reply: what is wrong with the request's body.
package struct Malformation: Message, Hashable, Sendable {
  /// A sentence for a person, such as `transaction_id has 31 bytes; it takes 32`.
  package var why = ""
  package init() {}

  package init(_ error: WireError) { why = error.description }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "why", &why, .oneTo(Self.cap))
  }

  /// The most bytes of the sentence.
  package static let cap = 160
}

/// The body of a `busy` reply to a request that asks for it: when to try again [WIRE-24].
package struct Busy: Message, Hashable, Sendable {
  /// Milliseconds.
  package var retryAfter = 1000
  package init() {}

  /// - Parameter nanoseconds: until the caller's limits allow the request; rounded up.
  package init(waiting nanoseconds: Int64) {
    let milliseconds = nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 > 0 ? 1 : 0)
    retryAfter = min(max(Int(milliseconds), Self.range.lowerBound), Self.range.upperBound)
  }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "retry_after", &retryAfter, in: Self.range)
  }

  /// Up to two weeks: a weekly quota waits so long where the clock was set back.
  package static let range = 1...1_209_600_000
}
