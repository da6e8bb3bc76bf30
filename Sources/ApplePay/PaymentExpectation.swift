/// What the caller knows of the payment from its own order; nil for what it does not state.
///
/// Apple's sixth step: "verify the currency code, the transaction amount and the application data of the original request".
package struct PaymentExpectation: Equatable, Sendable {
  /// ISO 4217 numeric, three digits as text.
  package var currency: [UInt8]?
  /// Minor units.
  package var amount: UInt64?
  /// SHA-256 of the request's application data, 32 bytes.
  package var applicationData: [UInt8]?

  package init(currency: [UInt8]? = nil, amount: UInt64? = nil, applicationData: [UInt8]? = nil) {
    (self.currency, self.amount, self.applicationData) = (currency, amount, applicationData)
  }
}
