// Monitoring: what a daemon and its host tell a program that watches them, as Prometheus' text and
// as JSON.
// It gives each number its name, its help and its labels.
// It must not know sockets, files or when a number is a reason to worry.

package import Format

/// Metrics, in the order in which they were added.
package struct Metrics: Sendable {
  package typealias Label = (name: String, value: String)

  enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  struct Series: Sendable {
    let labels: [Label]
    /// Of a histogram the sum of what it counted.
    var value: String
    /// Of a histogram: how many values were at most so large, by ascending bounds.
    var buckets: [(bound: String, count: UInt64)] = []

    /// Of a histogram: how many values there were.
    var count: UInt64 { buckets.last?.count ?? 0 }
  }

  struct Family: Sendable {
    let name, help: String
    let kind: Kind
    let series: [Series]
  }

  private(set) var families: [Family] = []

  package init() {}

  /// Adds a counter, if its name ends in `_total`, or a gauge; nothing where there are no samples.
  package mutating func add(
    _ name: String, _ help: String, _ samples: [(labels: [Label], value: UInt64)]
  ) {
    add(
      name, help, name.hasSuffix("_total") ? .counter : .gauge,
      samples.map { Series(labels: $0.labels, value: String($0.value)) })
  }

  mutating func add(_ name: String, _ help: String, _ kind: Kind, _ series: [Series]) {
    if !series.isEmpty {
      families.append(Family(name: name, help: help, kind: kind, series: series))
    }
  }
}

extension Metrics {
  /// In Prometheus' text format 0.0.4.
  package var text: String { families.map(Self.text).joined() }

  private static func text(_ family: Family) -> String {
    var text =
      "# HELP \(family.name) \(family.help)\n# TYPE \(family.name) \(family.kind.rawValue)\n"
    for series in family.series {
      guard family.kind == .histogram else {
        text += sample(family.name, series.labels, series.value)
        continue
      }
      for bucket in series.buckets {
        text += sample(
          family.name + "_bucket", series.labels + [("le", bucket.bound)], String(bucket.count))
      }
      text +=
        sample(family.name + "_sum", series.labels, series.value)
        + sample(family.name + "_count", series.labels, String(series.count))
    }
    return text
  }

  private static func sample(_ name: String, _ labels: [Label], _ value: String) -> String {
    let inner = labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",")
    return name + (inner.isEmpty ? "" : "{\(inner)}") + " \(value)\n"
  }

  /// By Unicode scalar: a line feed after a carriage return is no `Character` of its own.
  private static func escaped(_ value: String) -> String {
    value.unicodeScalars.map {
      $0 == "\\" ? "\\\\" : $0 == "\"" ? "\\\"" : $0 == "\n" ? "\\n" : String($0)
    }.joined()
  }
}

extension Metrics {
  /// The same as `text`; numbers are strings, as in the answers of Prometheus.
  package var json: CanonicalJSON {
    .array(
      families.map { family in
        [
          "help": family.help, "name": family.name, "type": family.kind.rawValue,
          "samples": family.series.map { Self.json($0, family.kind) },
        ]
      })
  }

  private static func json(_ series: Series, _ kind: Kind) -> CanonicalJSON {
    let labels = CanonicalJSON.object(series.labels.map { .init($0.name, .string($0.value)) })
    guard kind == .histogram else { return ["labels": labels, "value": series.value] }
    return [
      "buckets": series.buckets.map {
        ["count": String($0.count), "le": $0.bound] as CanonicalJSON
      },
      "count": String(series.count), "labels": labels, "sum": series.value,
    ]
  }
}

extension Metrics {
  /// Adds what the daemon answered to `metrics`.
  package mutating func add(_ reply: MetricsReply) {
    for (metric, figures) in Dictionary(grouping: reply.figures, by: \.metric).sorted(by: {
      $0.key.rawValue < $1.key.rawValue
    }) {
      let name = MetricName(metric)
      let isHistogram = figures.contains { $0.bound > 0 }
      let kind: Kind = isHistogram ? .histogram : name.name.hasSuffix("_total") ? .counter : .gauge
      // Nanoseconds; moments are in seconds.
      let isTime = metric == .processorTime || isHistogram && name.name.hasSuffix("_seconds")
      add(
        name.name, name.help, kind,
        Self.series(of: figures, metric, name.labels, isTime ? Self.seconds : { String($0) }))
    }
  }

  /// In the order in which their labels first come.
  private static func series(
    of figures: [Figure], _ metric: Metric, _ labels: [String],
    _ text: (UInt64) -> String
  ) -> [Series] {
    var (order, parts): ([[String]], [[String]: [UInt64: UInt64]]) = ([], [:])
    for figure in figures {
      let values = metric == .computeTimes ? figure.labels.map(operationClass) : figure.labels
      if parts[values] == nil { order.append(values) }
      parts[values, default: [:]][figure.bound, default: 0] &+= figure.value
    }
    return order.map { values in
      let values = (labels: values, parts: parts[values, default: [:]])
      var series = Series(
        labels: Array(zip(labels, values.labels)), value: text(values.parts[0, default: 0]))
      var below: UInt64 = 0
      for (bound, count) in values.parts.sorted(by: { $0.key < $1.key }) where bound > 0 {
        below &+= count
        series.buckets.append((bound == .max ? "+Inf" : text(bound), below))
      }
      return series
    }
  }

  /// Operations that take about as long as one another, by the blocks of their numbers; those that
  /// no operation has count as general.
  private static func operationClass(_ operation: String) -> String {
    switch Opcode(name: operation)?.rawValue ?? 0 {
    case 0x0010..<0x0020: "tokens"
    case 0x0020..<0x0030: "passes"
    case 0x0030..<0x0040: "codes"
    case 0x0040..<0x0050: "primitives"
    case 0x0050..<0x0060: "cards"
    case 0x0100...: "operators"
    default: "general"
    }
  }

  /// Such as `0.00025`, without zeros at the end.
  private static func seconds(_ nanoseconds: UInt64) -> String {
    var fraction = String(String(1_000_000_000 + nanoseconds % 1_000_000_000).dropFirst())
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return String(nanoseconds / 1_000_000_000) + (fraction.isEmpty ? "" : "." + fraction)
  }
}

/// How people and Prometheus call one of the daemon's numbers.
struct MetricName {
  let name, help: String
  let labels: [String]

  private init(_ name: String, _ help: String, _ labels: String...) {
    self.name = name
    self.help = help
    self.labels = labels
  }

  init(_ metric: Metric) {
    self =
      switch metric {
      case .requests: MetricName("kist_requests_total", "Requests answered.", "operation", "status")
      case .answerTimes:
        MetricName(
          "kist_answer_seconds", "How long a request took, from its frame to its reply.",
          "operation")
      case .rejections:
        MetricName(
          "kist_rejections_total", "Requests rejected, by the check that failed.", "operation",
          "stage")
      case .denials: MetricName("kist_denials_total", "Requests denied.", "grant", "reason")
      case .busy:
        MetricName(
          "kist_busy_total",
          "Requests and connections answered busy, by what there was too little of.", "cause")
      case .queueTimes:
        MetricName("kist_queue_seconds", "How long a batch of requests waited for its turn.")
      case .computeTimes:
        MetricName("kist_compute_seconds", "How long the work on a request took.", "class")
      case .commitTimes:
        MetricName(
          "kist_commit_seconds", "How long a batch waited until its audit records were durable.")
      case .batchRequests:
        MetricName("kist_batch_requests", "Requests in a batch: read from a connection at once.")
      case .commitRecords: MetricName("kist_commit_records", "Audit records made durable at once.")
      case .batchesInFlight:
        MetricName("kist_batches_in_flight", "Batches read and not answered yet.")
      case .userConnections:
        MetricName("kist_user_connections", "Open connections of a user.", "uid")
      case .socketConnections:
        MetricName("kist_socket_connections", "Open connections of a socket.", "socket")
      case .socketConnectionsLimit:
        MetricName(
          "kist_socket_connections_limit", "How many connections a socket can have.", "socket")
      case .handles: MetricName("kist_handles", "Secrets that connections hold behind handles.")
      case .connectionHandlesMost:
        MetricName("kist_connection_handles_most", "The most handles that one connection holds.")
      case .connectionHandlesLimit:
        MetricName("kist_connection_handles_limit", "How many handles a connection can hold.")
      case .stacks: MetricName("kist_stacks", "Stacks in secret memory that are in use.", "pool")
      case .stacksLimit: MetricName("kist_stacks_limit", "Stacks in secret memory.", "pool")
      case .replayEntries:
        MetricName(
          "kist_replay_entries",
          "What the guard against second uses remembers in its present generation.", "guard")
      case .replayEntriesLimit:
        MetricName(
          "kist_replay_entries_limit", "How much it can remember in a generation.", "guard")
      case .processorTime:
        MetricName("kist_cpu_seconds_total", "Processor time that kistd has used.")
      case .fleetInfo:
        MetricName(
          "kist_fleet_info",
          "This host's name in its fleet, and the label of the key of its claims.", "host", "key")
      case .claimsAway: MetricName("kist_claims_away", "1 while the fleet's store is away.")
      case .claimsUnanswered:
        MetricName(
          "kist_claims_unanswered_total",
          "Batches whose claims the fleet's store did not answer in time.")
      case .claimsRefused:
        MetricName(
          "kist_claims_refused_total",
          "Tokens refused because another host, or another request, has their claim.")
      case .localOpenings:
        MetricName(
          "kist_local_openings",
          "Tokens opened while the fleet's store was away that are not claimed yet.")
      case .duplicateOpenings:
        MetricName(
          "kist_duplicate_openings_total",
          "Tokens opened while the fleet's store was away that another host opened, too.")
      case .claimTimes:
        MetricName("kist_claim_seconds", "How long a batch waited for the fleet's store.")
      case .signingCertificateLastToken:
        MetricName(
          "kist_signing_certificate_last_token_timestamp_seconds",
          "When the last token under one of Apple's certificates was verified, in seconds since 1970.",
          "serial")
      case .signingCertificateEnd:
        MetricName(
          "kist_signing_certificate_end_timestamp_seconds",
          "When one of Apple's certificates, or the one above it, ends, in seconds since 1970.",
          "serial")
      }
  }
}
