package import Crypto
package import Format

/// The attributes of a key for one-time values that its role does not imply. [KS-OTP]
package enum OTPAttributes: Hashable, Sendable {
  /// Visa's identifier of the key set, such as `123456.1`.
  case visa(keySet: String)
  /// The key's alias at MDES; nil if it has none.
  case mastercard(alias: String?)
  case code(OTPCode)
}

/// How codes for people are made and checked.
package struct OTPCode: Hashable, Sendable {
  package let digits: Int
  package let hash: OTPHash
  /// The length of a time step in seconds; nil for counter-based codes.
  package let step: Int?
  /// How many counters, or time steps on either side, a code may be off.
  package let window: Int
  /// How many wrong codes in a row lock a subject out.
  package let failures: Int
  /// The length of the first lock-out in seconds; each further one is twice as long, up to a day.
  package let lockout: Int

  package init?(
    digits: Int = 6, hash: OTPHash = .sha1, step: Int?, window: Int, failures: Int = 5,
    lockout: Int = 900
  ) {
    guard HOTP.digits.contains(digits), step.map(Self.steps.contains) ?? true,
      Self.windows.contains(window),
      Self.failureCounts.contains(failures), Self.lockouts.contains(lockout)
    else { return nil }
    self.digits = digits
    self.hash = hash
    self.step = step
    self.window = window
    self.failures = failures
    self.lockout = lockout
  }

  package static let steps = 1...3600
  package static let windows = 0...100
  static let failureCounts = 1...100
  static let lockouts = 1...86_400
}

extension OTPAttributes {
  /// Whether a key set's identifier or a key's alias consists of characters that need no escaping
  /// and separate no fields.
  package static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { character in
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
          UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// The hash of the key's HMAC, if it has one.
  var hash: OTPHash? { if case .code(let code) = self { code.hash } else { nil } }
}

extension OTPCode {
  /// The longest lock-out, in seconds.
  private static let longestLockout: Int64 = 86_400

  /// Whether too many wrong codes in a row have locked the subject out. [OP-OTP-7]
  package func isLockedOut(_ state: OTPState, at now: Timestamp) -> Bool {
    let lot = UInt32(failures)
    return state.failures >= lot && state.failures.isMultiple(of: lot)
      && pause(after: state).contains(now.seconds)
  }

  /// The lock-out around the last wrong code, in seconds since 1970; it doubles each time
  /// `failures` more codes are wrong.
  ///
  /// It is as long before that code: one that came while the clock was ahead would otherwise lock
  /// the subject out until that time has come.
  func pause(after state: OTPState) -> Range<Int64> {
    let lots = max(state.failures / UInt32(failures), 1)
    let seconds = min(Int64(lockout) << Int64(min(lots - 1, 17)), Self.longestLockout)
    return state.lastFailure - seconds + 1..<state.lastFailure + seconds
  }
}

/// The member `otp` of a key's entry in the manifest. [KS-OTP]
extension OTPAttributes {
  var json: CanonicalJSON {
    switch self {
    case .visa(let keySet): ["key_set": keySet]
    case .mastercard(let alias): ["key_alias": alias]
    case .code(let code):
      [
        "digits": code.digits, "failures": code.failures, "hash": code.hash.rawValue,
        "lockout": code.lockout, "step": code.step, "window": code.window,
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
      let hash = try members.string("hash", as: OTPHash.init(rawValue:))
      let code = OTPCode(
        digits: try members.number("digits"), hash: hash,
        step: kind == .time ? try members.number("step") : nil,
        window: try members.number("window"),
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
  fileprivate mutating func number(_ name: String) throws(CanonicalJSONError) -> Int {
    Int(clamping: try integer(name))
  }
}
