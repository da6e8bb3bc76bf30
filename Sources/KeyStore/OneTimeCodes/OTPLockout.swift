package import Encoding

extension OTPCode {
  /// The longest lock-out, in seconds.
  private static let longestLockout: Int64 = 86_400

  /// Whether too many wrong codes in a row have locked the subject out. [OP-OTP-7]
  package func isLockedOut(_ standing: OTPStanding, at now: Timestamp) -> Bool {
    let lot = UInt32(failures)
    return standing.failures >= lot && standing.failures.isMultiple(of: lot) && now.seconds < lockoutEnd(standing)
  }

  /// When the lock-out after the last wrong code ends, in seconds since 1970; it doubles each time `failures` more codes are wrong.
  func lockoutEnd(_ standing: OTPStanding) -> Int64 {
    let lots = max(standing.failures / UInt32(failures), 1)
    let pause = Int64(lockout) << Int64(min(lots - 1, 17))
    return standing.lastFailure + min(pause, Self.longestLockout)
  }
}
