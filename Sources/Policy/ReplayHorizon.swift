package import Encoding

/// How long the opening of a token must be remembered.
package enum ReplayHorizon {
  /// How far back the log must be read so that no fresh token is accepted twice: four windows, since the signing time may be a
  /// window before or after the opening, and the clock of the next start may be off by as much.
  ///
  /// - Parameters:
  ///   - window: the longest freshness window of any merchant, in seconds.
  ///   - now: the present, but no later than the newest record, in case the clock is ahead.
  package static func start(window: UInt32, now: Timestamp) -> Timestamp { now.adding(seconds: -memory(window: window)) }

  /// How long an opening must be remembered, in seconds.
  package static func memory(window: UInt32) -> Int64 { 4 * Int64(window) }
}
