package import Crypto

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

  package init?(digits: Int = 6, hash: OTPHash = .sha1, step: Int?, window: Int, failures: Int = 5, lockout: Int = 900) {
    guard HOTP.digits.contains(digits), step.map(Self.steps.contains) ?? true, Self.windows.contains(window),
      Self.failureCounts.contains(failures), Self.lockouts.contains(lockout)
    else { return nil }
    (self.digits, self.hash, self.step) = (digits, hash, step)
    (self.window, self.failures, self.lockout) = (window, failures, lockout)
  }

  package static let steps = 1...3600
  package static let windows = 0...100
  static let failureCounts = 1...100
  static let lockouts = 1...86_400
}

extension OTPAttributes {
  /// Whether a key set's identifier or a key's alias consists of characters that need no escaping and separate no fields.
  package static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { character in
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
          UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// The hash of the key's HMAC, if it has one.
  var hash: OTPHash? { if case .code(let code) = self { code.hash } else { nil } }
}
