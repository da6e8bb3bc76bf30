import Configuration
import Format
import KeyStore
import Policy
import Review

/// Whether each key lasts.
let keyChecks: [CheckUp.Check] = [checkEnds, checkSuspended, checkUseLimits]

/// Keys are to be replaced so many days before they end.
let endingDays: Int64 = 30

/// The end of keys that have no certificate to say it.
@Sendable private func checkEnds(_ host: Host) -> [Finding] {
  let now = host.surroundings.now
  return host.keys.filter { $0.certificate == nil && [.preActive, .active].contains($0.state) }
    .compactMap { key in
      guard let end = key.notAfter else { return nil }
      if end < now {
        return Finding(
          .keyEnded, key.label.text, "The key ended on \(end.day) and makes nothing new.",
          cure: "Put its successor in use, and retire it.")
      }
      guard end.days(after: now) < endingDays else { return nil }
      return Finding(
        .keyEnding, key.label.text, "The key ends on \(end.day).",
        cure: "Make its successor: kist key generate.")
    }
}

@Sendable private func checkSuspended(_ host: Host) -> [Finding] {
  host.keys.filter { $0.state == .suspended }.map { key in
    Finding(
      .keySuspended, key.label.text,
      "The key is suspended\(key.suspended.map { " since \($0.day)" } ?? "") and serves nothing.",
      cure: "Two people decide: kist key resume, or kist key compromise.")
  }
}

@Sendable private func checkUseLimits(_ host: Host) -> [Finding] {
  host.keys.filter { $0.state == .active }.compactMap { key in
    guard let limit = key.useLimit, key.uses.count >= limit - limit / 10 else { return nil }
    return Finding(
      .keyUsedUp, key.label.text,
      "The key was used \(key.uses.count) times and may be used \(limit) times.",
      cure: "Put its successor in use.")
  }
}

/// Whether each merchant's keys take over from one another, and services can use them.
let rotationChecks: [CheckUp.Check] = [checkRotations, checkGrants]

/// Two keys of one merchant: when the new one works and the old one has been quiet, the old one is
/// to be retired, and not before.
@Sendable private func checkRotations(_ host: Host) -> [Finding] {
  let now = host.surroundings.now
  let processing = host.keys.filter {
    $0.role == .merchantProcessingEC || $0.role == .merchantProcessingRSA
  }
  return processing.compactMap { old in
    let later = processing.filter {
      $0.role == old.role && $0.merchant == old.merchant && $0.created > old.created
        && $0.state == .active
    }
    guard let new = later.first(where: { $0.uses.last != nil }), let last = old.uses.last else {
      return nil
    }
    let days = now.days(after: last)
    switch old.state {
    case .active where days >= quietDays:
      return Finding(
        .keyQuiet, old.label.text,
        "No token has come under the key for \(days) days, and \(new.label.text) has taken over.",
        cure: "Retire it: kist key rotate retire \(old.label.text) \(new.label.text).")
    case .retired where days < quietDays:
      return Finding(
        .keyNotQuiet, old.label.text,
        "Tokens still come under the retired key, the last on \(last.day).",
        cure:
          "Do not destroy it before it has been quiet for \(quietDays) days, and see at Apple whether its certificate is still active."
      )
    case .preActive, .active, .suspended, .retired, .compromised, .destroyed: return nil
    }
  }
}

/// As for `kist key rotate retire`.
private let quietDays: Int64 = 7

@Sendable private func checkGrants(_ host: Host) -> [Finding] {
  guard let rules = host.grants?.policy.rules, !rules.isEmpty else { return [] }
  return host.keys.filter {
    $0.state == .active && ($0.role == .merchantProcessingEC || $0.role == .merchantProcessingRSA)
  }.compactMap { key in
    let isGranted = rules.contains {
      $0.operations.contains(.openPaymentToken) && $0.keys.contains { $0.covers(key.label.text) }
    }
    guard !isGranted else { return nil }
    return Finding(
      .keyUngranted, key.label.text, "No grant lets a service open tokens with the key.",
      cure: "Add \(key.label.text) to the keys of the service's grant, or retire the key.")
  }
}
