package import Format

extension OTPCode {
  /// The longest lock-out, in seconds.
  private static let longestLockout: Int64 = 86_400

  /// Whether too many wrong codes in a row have locked the subject out. [OP-OTP-7]
  package func isLockedOut(_ standing: OTPStanding, at now: Timestamp) -> Bool {
    let lot = UInt32(failures)
    return standing.failures >= lot && standing.failures.isMultiple(of: lot) && pause(after: standing).contains(now.seconds)
  }

  /// The lock-out around the last wrong code, in seconds since 1970; it doubles each time `failures` more codes are wrong.
  ///
  /// It is as long before that code: one that came while the clock was ahead would otherwise lock the subject out until that time has come.
  func pause(after standing: OTPStanding) -> Range<Int64> {
    let lots = max(standing.failures / UInt32(failures), 1)
    let seconds = min(Int64(lockout) << Int64(min(lots - 1, 17)), Self.longestLockout)
    return standing.lastFailure - seconds + 1..<standing.lastFailure + seconds
  }
}
