internal import ApplePay
internal import Encoding
internal import KeyStore
internal import Operations
internal import Policy
internal import Wire

extension Service {
  /// What the `metrics` operation answers.
  ///
  /// The labels are names of operations, statuses, reasons and causes, ids of grants and numbers of users: no caller can make one. How
  /// many series there are is bounded, too.
  var metricsText: String {
    let (counts, connections) = tallies.sum
    var text = PrometheusText()
    text.add("kist_requests_total", "Requests answered.", Self.requests(counts.answers))
    text.add("kist_rejections_total", "Requests rejected, by the check that failed.", Self.rejections(counts.rejections))
    text.add("kist_denials_total", "Requests denied.", denials(counts.denials))
    text.add(
      "kist_busy_total", "Requests and connections answered busy, by what there was too little of.",
      BusyCause.allCases.map { ([("cause", $0.rawValue)], counts.busy[$0, default: 0]) })
    text.add("kist_queue_seconds", "How long a batch of requests waited for its turn.", [([], counts.queueing.shown)])
    text.add(
      "kist_compute_seconds", "How long the work on a request took.",
      OperationClass.allCases.map { ([("class", $0.name)], counts.computing[$0.rawValue].shown) })
    text.add("kist_commit_seconds", "How long a batch waited until its audit records were durable.", [([], counts.committing.shown)])
    text.add("kist_batch_requests", "Requests in a batch: read from a connection at once.", [([], counts.batches.shown)])
    text.add("kist_commit_records", "Audit records made durable at once.", [([], counts.commits.shown)])
    text.add("kist_user_connections", "Open connections of a user.", Self.users(connections))
    text.add("kist_handles", "Secrets that connections hold behind handles.", [([], UInt64(handles.count))])
    text.add(
      "kist_start_refused", "1 while the daemon would not start again with its files.",
      [([], settings.isStartRefused() ? 1 : 0)])
    addFleet(counts, to: &text)
    let signers = unlocked?.daemon.verifier.signingCertificates ?? []
    text.add(
      "kist_signing_certificate_last_token_timestamp_seconds", "When the last token under one of Apple's certificates was verified, in seconds since 1970.",
      Self.moments(signers, \.lastToken))
    text.add(
      "kist_signing_certificate_end_timestamp_seconds", "When one of Apple's certificates, or the one above it, ends, in seconds since 1970.",
      Self.moments(signers, \.end))
    return text.text
  }

  /// Nothing for a host in no fleet.
  private func addFleet(_ counts: Counts, to text: inout PrometheusText) {
    guard let daemon = unlocked?.daemon, let fleet = daemon.fleet else { return }
    text.add(
      "kist_fleet_info", "This host's name in its fleet, and the label of the key of its claims.",
      [([("host", fleet.host), ("key", fleet.key.text)], 1)])
    text.add("kist_claims_away", "1 while the fleet's store is away.", [([], daemon.isStoreAway ? 1 : 0)])
    text.add("kist_claims_unanswered_total", "Batches whose claims the fleet's store did not answer in time.", [([], counts.unanswered)])
    text.add("kist_claims_refused_total", "Tokens refused because another host, or another request, has their claim.", [([], counts.claimsRefused)])
    text.add("kist_local_openings", "Tokens opened while the fleet's store was away that are not claimed yet.", [([], UInt64(daemon.localOpenings.count))])
    text.add("kist_duplicate_openings_total", "Tokens opened while the fleet's store was away that another host opened, too.", [([], counts.duplicates)])
    text.add("kist_claim_seconds", "How long a batch waited for the fleet's store.", [([], counts.claiming.shown)])
  }

  /// Every status of each operation that was asked for.
  private static func requests(_ answers: [Counts.Answer: UInt64]) -> [(labels: [PrometheusText.Label], value: UInt64)] {
    let asked = Set(answers.keys.map(\.opcode)).sorted { ($0?.rawValue ?? .max) < ($1?.rawValue ?? .max) }
    return asked.flatMap { opcode in
      Status.allCases.map { status in
        ([("operation", opcode?.name ?? "unknown"), ("status", status.name)], answers[Counts.Answer(opcode: opcode, status: status), default: 0])
      }
    }
  }

  /// Those of the lowest operations first, which tokens have.
  private static func rejections(_ rejections: [Counts.Rejected: UInt64]) -> [(labels: [PrometheusText.Label], value: UInt64)] {
    let place = { (rejected: Counts.Rejected) in (rejected.opcode?.rawValue ?? .max, rejected.stage.rawValue) }
    return rejections.sorted { place($0.key) < place($1.key) }.prefix(rejectionSeries).map { rejected, count in
      ([("operation", rejected.opcode?.name ?? "unknown"), ("stage", rejected.stage.name)], count)
    }
  }

  /// A series for each grant in force that can run out, and one for all other denials of each reason.
  private func denials(_ denials: [Denial: UInt64]) -> [(labels: [PrometheusText.Label], value: UInt64)] {
    var others = denials
    var named: [(labels: [PrometheusText.Label], value: UInt64)] = []
    for denial in rules.snapshot.policy.rules.lazy.flatMap(\.limitDenials).prefix(Self.grantSeries) {
      named.append(([("grant", denial.grant ?? ""), ("reason", denial.name)], others.removeValue(forKey: denial) ?? 0))
    }
    return Denial.reasons.map { reason in
      ([("grant", ""), ("reason", reason)], others.reduce(0) { $0 + ($1.key.name == reason ? $1.value : 0) })
    } + named
  }

  private static func users(_ connections: [UInt32: Int]) -> [(labels: [PrometheusText.Label], value: UInt64)] {
    let named = connections.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(userSeries)
    let others = connections.values.reduce(0, +) - named.reduce(0) { $0 + $1.value }
    return named.map { ([("uid", String($0.key))], UInt64($0.value)) } + (others > 0 ? [([("uid", "other")], UInt64(others))] : [])
  }

  private static func moments(
    _ signers: [SigningCertificate], _ moment: KeyPath<SigningCertificate, Timestamp>
  ) -> [(labels: [PrometheusText.Label], value: UInt64)] {
    signers.map { ([("serial", $0.serialText)], UInt64(clamping: $0[keyPath: moment].seconds)) }
  }

  /// How many series there are of rejections.
  static let rejectionSeries = 256
  /// How many series there are of single grants.
  static let grantSeries = 128
  /// How many users have a series of their own: those with the most connections.
  static let userSeries = 64
}

extension SigningCertificate {
  /// As certificates are told apart in text: hexadecimal, without what DER has in front.
  fileprivate var serialText: String { Hex.encode(Array(serial.dropFirst(2).drop { $0 == 0 })) }
}

extension Rule {
  /// The denials that say that there is nothing left of it.
  fileprivate var limitDenials: [Denial] {
    (rate == nil ? [] : [.rate(grant: id)]) + (quota == nil && keyQuota == nil ? [] : [.quota(grant: id)])
  }
}
