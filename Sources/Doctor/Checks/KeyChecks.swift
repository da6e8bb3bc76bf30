internal import Format
internal import KeyStore
internal import Review

/// Whether each key lasts.
let keyChecks: [CheckUp.Check] = [checkEnds, checkSuspended, checkUseLimits]

/// Keys are to be replaced so many days before they end.
let endingDays: Int64 = 30

/// The end of keys that have no certificate to say it.
@Sendable private func checkEnds(_ host: Host) -> [Finding] {
  let now = host.surroundings.now
  return host.keys.filter { $0.certificate == nil && [.preActive, .active].contains($0.state) }.compactMap { key in
    guard let end = key.notAfter else { return nil }
    if end < now {
      return Finding(.keyEnded, key.label.text, "The key ended on \(end.day) and makes nothing new.", cure: "Put its successor in use, and retire it.")
    }
    guard end.days(after: now) < endingDays else { return nil }
    return Finding(.keyEnding, key.label.text, "The key ends on \(end.day).", cure: "Make its successor: kist key generate.")
  }
}

@Sendable private func checkSuspended(_ host: Host) -> [Finding] {
  host.keys.filter { $0.state == .suspended }.map { key in
    Finding(
      .keySuspended, key.label.text, "The key is suspended\(key.suspended.map { " since \($0.day)" } ?? "") and serves nothing.",
      cure: "Two people decide: kist key resume, or kist key compromise.")
  }
}

@Sendable private func checkUseLimits(_ host: Host) -> [Finding] {
  host.keys.filter { $0.state == .active }.compactMap { key in
    guard let limit = key.useLimit, key.uses.count >= limit - limit / 10 else { return nil }
    return Finding(.keyUsedUp, key.label.text, "The key was used \(key.uses.count) times and may be used \(limit) times.", cure: "Put its successor in use.")
  }
}
