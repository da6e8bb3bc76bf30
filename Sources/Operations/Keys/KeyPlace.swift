import Crypto
import Format
import KeyStore

/// The attributes of a new key that an operator's request states.
struct KeyPlace {
  let label: KeyLabel
  let role: KeyRole
  let merchant: MerchantIdentifier?
  let otp: OTPAttributes?

  /// - Throws: `KeyStoreError.importRefused` if label, role or identifier are invalid, or the
  ///   attributes do not fit the role.
  init(label: String, role: String, merchantIdentifier: String, otp: OTPParameters)
    throws(KeyStoreError)
  {
    guard let label = KeyLabel(label), let role = KeyRole(rawValue: role) else {
      throw .importRefused(.role)
    }
    merchant = merchantIdentifier.isEmpty ? nil : MerchantIdentifier(merchantIdentifier)
    guard merchantIdentifier.isEmpty || merchant != nil else {
      throw .importRefused(.merchantMismatch)
    }
    self.otp = role.otpKind.flatMap { OTPAttributes(otp, $0) }
    guard role.otpKind == nil ? otp.isEmpty : self.otp != nil else { throw .importRefused(.otp) }
    self.label = label
    self.role = role
  }
}

extension OTPAttributes {
  /// Reads the attributes of a key for one-time values from a request.
  ///
  /// - Returns: nil if a value is missing, superfluous or out of bounds.
  init?(_ wire: OTPParameters, _ kind: KeyRole.OTPKind) {
    var rest = wire
    switch kind {
    case .visa:
      rest.keySet = ""
      self = .visa(keySet: wire.keySet)
    case .mastercard:
      rest.keyAlias = ""
      self = .mastercard(alias: wire.keyAlias.isEmpty ? nil : wire.keyAlias)
    case .counter, .time:
      rest.digits = 0
      rest.hash = nil
      rest.window = nil
      rest.failures = 0
      rest.lockout = 0
      if kind == .time { rest.step = 0 }
      guard let code = OTPCode(wire, isTimed: kind == .time) else { return nil }
      self = .code(code)
    }
    guard rest.isEmpty else { return nil }
  }
}

extension OTPCode {
  /// Zeros stand for the defaults: 6 digits, SHA-1, 30 seconds, a window of 1 time step or 10
  /// counters, 5 failures, 900 seconds.
  fileprivate init?(_ wire: OTPParameters, isTimed: Bool) {
    let hash: OTPHash =
      switch wire.hash {
      case .sha1, nil: .sha1
      case .sha256: .sha256
      case .sha512: .sha512
      }
    self.init(
      digits: wire.digits == 0 ? 6 : Int(wire.digits), hash: hash,
      step: isTimed ? (wire.step == 0 ? 30 : Int(wire.step)) : nil,
      window: wire.window.map { Int($0) } ?? (isTimed ? 1 : 10),
      failures: wire.failures == 0 ? 5 : Int(wire.failures),
      lockout: wire.lockout == 0 ? 900 : Int(wire.lockout))
  }
}

extension OTPParameters {
  init(_ attributes: OTPAttributes) {
    self.init()
    switch attributes {
    case .visa(let keySet): self.keySet = keySet
    case .mastercard(let alias): keyAlias = alias ?? ""
    case .code(let code):
      hash =
        switch code.hash {
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha512: .sha512
        }
      digits = UInt32(code.digits)
      step = UInt32(code.step ?? 0)
      window = UInt32(code.window)
      failures = UInt32(code.failures)
      lockout = UInt32(code.lockout)
    }
  }
}
