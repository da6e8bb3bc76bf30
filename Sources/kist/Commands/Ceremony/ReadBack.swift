internal import Configuration
internal import Encoding
internal import Policy
internal import Storage

/// Which part of its log kistd reads back when it starts; it reads only plain segments.
struct ReadBack {
  /// The longest freshness window of any merchant, in seconds.
  let window: UInt32
  /// The longest retry window of any merchant, in seconds.
  let retry: UInt32
  /// For how long envelopes that open once are remembered, in seconds.
  let oneUse: UInt32
  /// The periods of the policy's quotas.
  let periods: Set<Quota.Period>
  /// The time by the daemon's clock.
  let now: Timestamp

  /// The most that a daemon can need, for a log whose daemon is configured elsewhere.
  private static let most: (window: UInt32, retry: UInt32, oneUse: UInt32, periods: Set<Quota.Period>) = (
    86_400 + 3600, 3600, MerchantConfiguration.longestOneUse.wholeSeconds, [.day, .week]
  )

  /// By a configuration and its policy; if there is none at the usual place, the most that any can need.
  ///
  /// - Parameter path: nil for the usual place.
  init(configuration path: String?) throws(CommandFailure) {
    do throws(ConfigurationError) {
      let usual = DaemonConfiguration.defaultPath
      guard path != nil || Self.isThere(usual) else {
        (window, retry, oneUse, periods) = Self.most
        now = .now
        return
      }
      let configuration = try DaemonConfiguration.load(path ?? usual)
      let windows = [configuration.applePay.freshnessWindow] + configuration.merchants.compactMap(\.freshnessWindow)
      let retries = [configuration.applePay.retryWindow] + configuration.merchants.compactMap(\.retryWindow)
      retry = retries.map(\.wholeSeconds).max() ?? 0
      // What another host opened may be opened here as much later.
      window = (windows.map(\.wholeSeconds).max() ?? 0) + (configuration.fleet == nil ? 0 : retry)
      oneUse = ReplayHorizon.oneUse(configuration.merchants.filter(\.envelopeOpensOnce).map(\.envelopeLifetime.wholeSeconds))
      periods = Set(try PolicyDirectory.load(configuration.policyDirectory).quotas.values.flatMap(\.periods))
      now = configuration.sandbox?.clock ?? .now
    } catch { throw .misconfigured(error) }
  }

  /// Refuses to remove records as new as `newest` while a start would need them.
  func allow(_ newest: Timestamp) throws(CommandFailure) {
    let remembered = max(
      ReplayHorizon.memory(window: window, lead: window), ReplayHorizon.memory(window: oneUse, lead: ReplayHorizon.envelopeLead), Int64(retry))
    let kept = periods.map { $0.start(of: now) } + [now.adding(seconds: -remembered)]
    guard let since = kept.min(), newest > since else { return }
    let needed = periods.map { $0.start(of: newest).adding(seconds: $0.seconds) } + [newest.adding(seconds: remembered)]
    let end = needed.max() ?? newest
    throw CommandFailure(
      code: Self.tooEarly,
      "kistd reads back what was written since \(since.wholeSeconds) when it starts: give --before \(since.wholeSeconds), or wait until \(end.wholeSeconds)")
  }

  private static func isThere(_ path: String) -> Bool {
    do throws(DiskError) {
      _ = try File(path, .read, on: LinuxDisk())
      return true
    } catch { return !error.isAbsence }
  }

  /// EX_TEMPFAIL
  static let tooEarly: Int32 = 75
}
