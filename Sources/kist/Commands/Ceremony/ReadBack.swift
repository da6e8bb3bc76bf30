internal import Configuration
internal import Format
internal import Host
internal import Policy

/// Which part of its log stays where kistd reads it: it reads only plain segments.
struct ReadBack {
  /// The time by the daemon's clock.
  let now: Timestamp

  /// For how long a record stays, in seconds: a week and 75 minutes, the most that a start can need.
  ///
  /// That is a fleet's memory of envelopes that open once. A quota's week, also of a policy that is only made
  /// tomorrow, and four freshness windows and retry windows are shorter.
  private static let kept = ReplayHorizon.memory(
    window: (MerchantConfiguration.longestOneUse + MerchantConfiguration.longestRetry).wholeSeconds, lead: ReplayHorizon.envelopeLead)

  /// By the clock of a configuration, which a sandbox may set.
  ///
  /// - Parameter path: nil for the usual place.
  init(configuration path: String?) throws(CommandFailure) {
    var clock: Timestamp?
    let usual = DaemonConfiguration.defaultPath
    if path != nil || Input.isThere(usual) {
      do throws(ConfigurationError) {
        clock = try DaemonConfiguration.load(path ?? usual).sandbox?.clock
      } catch { throw .misconfigured(error) }
    }
    now = clock ?? .now
  }

  /// Refuses to remove records as new as `newest` while they must stay.
  func allow(_ newest: Timestamp) throws(CommandFailure) {
    let since = now.adding(seconds: -Self.kept)
    guard newest > since else { return }
    let end = newest.adding(seconds: Self.kept)
    throw CommandFailure(
      code: Self.tooEarly,
      "kistd may have to read what was written since \(since.wholeSeconds): give --before \(since.wholeSeconds), or wait until \(end.wholeSeconds)"
    )
  }

  /// EX_TEMPFAIL
  static let tooEarly: Int32 = 75
}
