internal import KeyStore
internal import Wire

/// What a new key is to be in the store, by an operator's request.
struct KeyPlace {
  let label: KeyLabel
  let role: KeyRole
  let merchant: MerchantIdentifier?
  let otp: OTPAttributes?

  /// - Throws: `ImportRefusal` for text that is no label, role or identifier, or attributes of another role.
  init(label: String, role: String, merchantIdentifier: String, otp: OTPParameters) throws(KeyStoreError) {
    guard let label = KeyLabel(label), let role = KeyRole(rawValue: role) else { throw .importRefused(.role) }
    merchant = merchantIdentifier.isEmpty ? nil : MerchantIdentifier(merchantIdentifier)
    guard merchantIdentifier.isEmpty || merchant != nil else { throw .importRefused(.merchantMismatch) }
    self.otp = role.otpKind.flatMap { OTPAttributes(otp, $0) }
    guard role.otpKind == nil ? otp.isEmpty : self.otp != nil else { throw .importRefused(.otp) }
    (self.label, self.role) = (label, role)
  }
}
