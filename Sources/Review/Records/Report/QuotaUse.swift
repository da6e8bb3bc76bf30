import Audit
import Format
package import Policy

/// How much of a policy's quotas the requests of a period used up, in each day or week that the
/// quotas count.
package struct QuotaUse: Sendable {
  private let rules: [String: Rule]
  private var shares: [Share: Load] = [:]

  /// - Parameter rules: those with a quota, by id.
  package init(_ rules: [String: Rule]) { self.rules = rules }

  /// What is counted together.
  fileprivate struct Share: Hashable {
    let grant: String
    let quota: Quota
    let subject: Subject
    /// When the quota's day or week began.
    let start: Timestamp
  }

  fileprivate enum Subject: Hashable {
    case user(Int64)
    /// A label, or an id.
    case key(String)
  }

  private struct Load {
    var used = Figure()
    var refused = 0
  }

  /// Takes a record of the period, or one before it in the same day or week.
  mutating func add(_ record: Record, since: Timestamp) {
    guard let decision = record.policy, let rule = decision.grant.flatMap({ rules[$0] }),
      let actor = record.actor
    else { return }
    guard !record.inputs.isRepetition, decision.isAllowed || decision.denial == Self.denial else {
      return
    }
    if let quota = rule.quota { count(record, rule, quota, .user(actor.person), since) }
    if let quota = rule.keyQuota, let key = record.keyName {
      count(record, rule, quota, .key(key), since)
    }
  }

  private mutating func count(
    _ record: Record, _ rule: Rule, _ quota: Quota, _ subject: Subject, _ since: Timestamp
  ) {
    guard record.time >= quota.period.start(of: since) else { return }
    let share = Share(
      grant: rule.id, quota: quota, subject: subject, start: quota.period.start(of: record.time))
    if record.policy?.isAllowed == true {
      shares[share, default: Load()].used.add(record)
    } else {
      shares[share, default: Load()].refused += 1
    }
  }

  /// The log's word for a request beyond a quota.
  private static let denial = "quota"
}

extension QuotaUse {
  /// The quotas of which at least four fifths were used, the fullest first.
  var rows: [[ReviewSection.Cell]] {
    shares.filter {
      $0.value.refused > 0 || Int64($0.value.used.count) * 5 >= $0.key.quota.count * 4
    }.sorted(by: Self.precedes).map { share, load in
      let used = "\(share.grant), \(share.subject.text), from \(share.start.wholeSeconds)"
      return [
        .text(share.grant), .text(share.subject.text), .text(share.start.day),
        .text(share.quota.description),
        .figure(load.used, used, share.words), .number(load.refused),
      ]
    }
  }

  private static func precedes(_ a: (key: Share, value: Load), _ b: (key: Share, value: Load))
    -> Bool
  {
    let x = Int64(a.value.used.count) * b.key.quota.count
    let y = Int64(b.value.used.count) * a.key.quota.count
    return x != y
      ? x > y
      : (a.key.start, a.key.grant, a.key.subject.text) < (
        b.key.start, b.key.grant, b.key.subject.text
      )
  }
}

extension QuotaUse.Subject {
  fileprivate var text: String {
    switch self {
    case .user(let uid): "uid \(uid)"
    case .key(let name): name
    }
  }

  fileprivate var words: [String] {
    switch self {
    case .user(let uid): ["--user", String(uid)]
    case .key(let name): ["--key", name]
    }
  }
}

extension QuotaUse.Share {
  fileprivate var words: [String] {
    let end = start.adding(seconds: quota.period.seconds)
    return ["--grant", grant] + subject.words + [
      "--since", start.wholeSeconds, "--until", end.wholeSeconds,
    ]
  }
}
