import ApplePay
import Format
import KeyStore
import Operations
import Policy

extension Service {
  /// What the `metrics` operation answers.
  ///
  /// The labels are names of operations, statuses, reasons and causes, ids of grants and numbers of
  /// users: no caller can make one. How many figures there are is bounded, too.
  var figures: MetricsReply {
    let (counts, connections) = tallies.sum
    var reply = MetricsReply()
    addAnswers(counts.answers, to: &reply)
    addDenials(counts.denials, to: &reply)
    for cause in BusyCause.allCases {
      reply.add(.busy, counts.busy[cause, default: 0], [cause.rawValue])
    }
    reply.add(.queueTimes, counts.queueing)
    reply.add(.commitTimes, counts.committing)
    reply.add(.batchRequests, counts.batches)
    reply.add(.commitRecords, counts.commits)
    reply.add(.batchesInFlight, counts.inFlight)
    addUsers(connections, to: &reply)
    let held = handles.counts
    reply.add(.handles, held.reduce(0, +))
    reply.add(.connectionHandlesMost, held.max() ?? 0)
    reply.add(.connectionHandlesLimit, settings.configuration.limits.handles)
    settings.addFigures(&reply)
    if let daemon = unlocked?.daemon { addOpen(daemon, counts, to: &reply) }
    return reply
  }

  /// What there is only while the key store is open.
  private func addOpen(_ daemon: DaemonContext, _ counts: Counts, to reply: inout MetricsReply) {
    for (kind, guarding) in [("tokens", daemon.replays), ("envelopes", daemon.usedEnvelopes)] {
      reply.add(.replayEntries, guarding.count, [kind])
      reply.add(.replayEntriesLimit, settings.configuration.applePay.replayEntries, [kind])
    }
    for signer in daemon.verifier.signingCertificates {
      reply.add(.signingCertificateLastToken, signer.lastToken.seconds, [signer.serialText])
      reply.add(.signingCertificateEnd, signer.end.seconds, [signer.serialText])
    }
    guard let fleet = daemon.fleet else { return }
    reply.add(.fleetInfo, 1, [fleet.host, fleet.key.text])
    reply.add(.claimsAway, daemon.isStoreAway ? 1 : 0)
    reply.add(.claimsUnanswered, counts.unanswered)
    reply.add(.claimsRefused, counts.claimsRefused)
    reply.add(.localOpenings, daemon.localOpenings.count)
    reply.add(.duplicateOpenings, counts.duplicates)
    reply.add(.claimTimes, counts.claiming)
  }

  /// Every status of each operation that was asked for, and rejections of the lowest operations
  /// first, which tokens have.
  private func addAnswers(_ answers: [Opcode?: Counts.Answers], to reply: inout MetricsReply) {
    var places = Self.rejectionSeries
    for (opcode, answers) in answers.sorted(by: {
      $0.key?.rawValue ?? .max < $1.key?.rawValue ?? .max
    }) {
      let name = opcode?.name ?? "unknown"
      for (status, count) in zip(Status.allCases, answers.statuses) {
        reply.add(.requests, count, [name, status.name])
      }
      reply.add(.answerTimes, answers.times, [name])
      reply.add(.computeTimes, answers.computing, [name])
      for (stage, count) in answers.rejections.sorted(by: { $0.key.rawValue < $1.key.rawValue })
        .prefix(places)
      {
        reply.add(.rejections, count, [name, stage.name])
        places -= 1
      }
    }
  }

  /// A figure for each grant in force that can run out, and one for all other denials of each
  /// reason.
  private func addDenials(_ denials: [Denial: UInt64], to reply: inout MetricsReply) {
    var others = denials
    for denial in rules.snapshot.policy.rules.lazy.flatMap(\.limitDenials).prefix(Self.grantSeries)
    {
      reply.add(
        .denials, others.removeValue(forKey: denial) ?? 0, [denial.grant ?? "", denial.name])
    }
    for reason in Denial.reasons {
      reply.add(
        .denials, others.reduce(0) { $0 + ($1.key.name == reason ? $1.value : 0) }, ["", reason])
    }
  }

  private func addUsers(_ connections: [UInt32: Int], to reply: inout MetricsReply) {
    let sorted = connections.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    for (user, count) in sorted.prefix(Self.userSeries) {
      reply.add(.userConnections, count, [String(user)])
    }
    let others = sorted.dropFirst(Self.userSeries).reduce(0) { $0 + $1.value }
    if others > 0 { reply.add(.userConnections, others, ["other"]) }
  }

  /// How many figures there are of rejections.
  static let rejectionSeries = 256
  /// How many figures there are of single grants.
  static let grantSeries = 128
  /// How many users have a figure of their own: those with the most connections.
  static let userSeries = 64
}

extension MetricsReply {
  fileprivate mutating func add(_ metric: Metric, _ histogram: Histogram, _ labels: [String] = []) {
    for (bound, count) in zip(histogram.bounds + [.max], histogram.counts) {
      add(metric, count, labels, bound: bound)
    }
    add(metric, histogram.sum, labels)
  }
}

extension SigningCertificate {
  /// As certificates are told apart in text: hexadecimal, without what DER has in front.
  fileprivate var serialText: String { Hex.encode(Array(serial.dropFirst(2).drop { $0 == 0 })) }
}

extension Rule {
  /// The denials that say that there is nothing left of it.
  fileprivate var limitDenials: [Denial] {
    (rate == nil ? [] : [.rate(grant: id)])
      + (quota == nil && keyQuota == nil ? [] : [.quota(grant: id)])
  }
}
