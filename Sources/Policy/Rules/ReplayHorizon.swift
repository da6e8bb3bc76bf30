package import Format

/// How long the opening of a token, or of an envelope that opens once, must be remembered.
package enum ReplayHorizon {
  /// How far back the log must be read so that nothing is opened twice: as long as it stays valid,
  /// and three times as far as its making may lie after its opening, since the clock of the next
  /// start may be off by as much either way.
  ///
  /// - Parameters:
  ///   - window: for how long a token stays fresh, or an envelope valid, at most; in seconds.
  ///   - lead: how far after the present its making may lie, in seconds.
  ///   - now: the present, but no later than the newest record, in case the clock is ahead.
  package static func start(window: UInt32, lead: UInt32, now: Timestamp) -> Timestamp {
    now.adding(seconds: -memory(window: window, lead: lead))
  }

  /// How long an opening must be remembered, in seconds.
  package static func memory(window: UInt32, lead: UInt32) -> Int64 {
    Int64(window) + 3 * Int64(lead)
  }

  /// For how long envelopes with these lifetimes, which open once, must be remembered, in seconds:
  /// a minute at least.
  package static func oneUse(_ lifetimes: some Sequence<UInt32>) -> UInt32 {
    lifetimes.reduce(60) { max($0, $1) }
  }

  /// How far an envelope's making may lie after the present, because the clock was set back; in
  /// seconds.
  package static let envelopeLead: UInt32 = 300
}
