package import Encoding

/// How far back the openings of tokens matter.
package enum ReplayHorizon {
  /// How far back the log must be read so that no fresh token is taken twice: four windows, since a signing time may lie a window on
  /// either side of the opening, and so may the clock of the next start.
  ///
  /// - Parameters:
  ///   - window: the longest freshness window of any merchant, in seconds.
  ///   - now: no later than the newest record, for a clock that is ahead.
  package static func start(window: UInt32, now: Timestamp) -> Timestamp { now.adding(seconds: -memory(window: window)) }

  /// How long an opening matters, in seconds.
  package static func memory(window: UInt32) -> Int64 { 4 * Int64(window) }
}
