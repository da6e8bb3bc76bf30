internal import Crypto
internal import Format

/// The member `otp` of a key's entry in the manifest. [KS-OTP]
extension OTPAttributes {
  var json: CanonicalJSON {
    switch self {
    case .visa(let keySet): ["key_set": .string(keySet)]
    case .mastercard(let alias): ["key_alias": alias.map { .string($0) }]
    case .code(let code):
      [
        "digits": .integer(Int64(code.digits)), "failures": .integer(Int64(code.failures)), "hash": .string(code.hash.rawValue),
        "lockout": .integer(Int64(code.lockout)), "step": code.step.map { .integer(Int64($0)) }, "window": .integer(Int64(code.window)),
      ]
    }
  }

  /// Parses the attributes of a role; nil if the role has none.
  init?(_ fields: inout CanonicalJSONFields, for role: KeyRole) throws(CanonicalJSONError) {
    guard let kind = role.otpKind else { return nil }
    var members = try fields.object("otp")
    switch kind {
    case .visa: self = .visa(keySet: try members.string("key_set"))
    case .mastercard: self = .mastercard(alias: try members.optionalString("key_alias"))
    case .counter, .time:
      guard let hash = OTPHash(rawValue: try members.string("hash")) else { throw .schema }
      let code = OTPCode(
        digits: try members.number("digits"), hash: hash, step: kind == .time ? try members.number("step") : nil, window: try members.number("window"),
        failures: try members.number("failures"), lockout: try members.number("lockout"))
      guard let code else { throw .schema }
      self = .code(code)
    }
    try members.end()
    guard fits(role) else { throw .schema }
  }
}

extension OTPAttributes {
  /// Whether a key of this role has attributes of this kind. [KS-OTP]
  func fits(_ role: KeyRole) -> Bool {
    switch (role.otpKind, self) {
    case (.visa, .visa(let keySet)): Self.isName(keySet)
    case (.mastercard, .mastercard(let alias)): alias.map(Self.isName) ?? true
    case (.counter, .code(let code)): code.step == nil
    case (.time, .code(let code)): code.step != nil
    case (.visa, _), (.mastercard, _), (.counter, _), (.time, _), (nil, _): false
    }
  }
}

extension CanonicalJSONFields {
  fileprivate mutating func number(_ name: String) throws(CanonicalJSONError) -> Int { Int(clamping: try integer(name)) }
}
