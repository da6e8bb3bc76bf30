package import CryptoBackend

/// What a record says of a key for one-time values, besides what the role says. [KS-OTP]
package enum OTPAttributes: Hashable, Sendable {
  /// Visa's identifier of the key set, such as `123456.1`.
  case visa(keySet: String)
  /// What MDES calls the key; nil where it has no name there.
  case mastercard(alias: String?)
  case code(OTPCode)
}

/// How codes of people are made and checked.
package struct OTPCode: Hashable, Sendable {
  package let digits: Int
  package let hash: OTPHash
  /// Seconds of a time step; nil for codes that are counted.
  package let step: Int?
  /// Counters, or time steps on either side, that a code may be away from the expected one.
  package let window: Int
  /// Wrong codes in a row, after which a subject is locked out.
  package let failures: Int
  /// Seconds that the first lock-out lasts; each further one lasts twice as long, up to a day.
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
  package static let failureCounts = 1...100
  package static let lockouts = 1...86_400
}

extension OTPAttributes {
  /// Characters of a key set's identifier or a key's alias: what needs no escaping and splits no field.
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

  /// The hash of the key's HMAC, where it has one.
  var hash: OTPHash? { if case .code(let code) = self { code.hash } else { nil } }
}
