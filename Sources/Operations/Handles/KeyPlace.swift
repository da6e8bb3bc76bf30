internal import Format
internal import KeyStore

/// The attributes of a new key that an operator's request states.
struct KeyPlace {
  let label: KeyLabel
  let role: KeyRole
  let merchant: MerchantIdentifier?
  let otp: OTPAttributes?

  /// - Throws: `KeyStoreError.importRefused` if label, role or identifier are invalid, or the attributes do not fit the role.
  init(label: String, role: String, merchantIdentifier: String, otp: OTPParameters) throws(KeyStoreError) {
    guard let label = KeyLabel(label), let role = KeyRole(rawValue: role) else { throw .importRefused(.role) }
    merchant = merchantIdentifier.isEmpty ? nil : MerchantIdentifier(merchantIdentifier)
    guard merchantIdentifier.isEmpty || merchant != nil else { throw .importRefused(.merchantMismatch) }
    self.otp = role.otpKind.flatMap { OTPAttributes(otp, $0) }
    guard role.otpKind == nil ? otp.isEmpty : self.otp != nil else { throw .importRefused(.otp) }
    (self.label, self.role) = (label, role)
  }
}
