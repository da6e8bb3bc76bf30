import Format
import Glibc
import KistClient

extension Command {
  static let top = Command(
    name: "top",
    summary: "show what the daemon does, second by second",
    usage: """
      Usage: kist top [--interval S] [-n N] [--socket PATH] [--timeout S]

      Shows what the daemon did since the page before: requests of each operation,
      how long they took, what was denied and what there was too little of; and the
      connections of each user. It needs what kist status --metrics does, and leaves
      no audit record. On a terminal it goes on when the daemon does not answer, and
      Ctrl-C ends it.

        --interval S   seconds from page to page (default: 1)
        -n, --pages N  how many pages (default: until it is ended)
        --socket PATH  the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                       /run/kist/admin.sock)
        --timeout S    give up after so many seconds (default: 10)

      """,
    options: ["interval", .value("pages", "n")], daemon: .operators
  ) { arguments throws(CommandFailure) in
    let interval = UInt32(try arguments.number("interval", in: 1...3600) ?? 1)
    let pages = try arguments.number("pages", in: 1...UInt64(UInt32.max))
    var isDenied = false
    func counted() throws(CommandFailure) -> (StatusReport, MetricsReply, ContinuousClock.Instant) {
      func note(_ refusal: ClientError.Refusal) -> String? {
        isDenied = refusal.status == Status.denied.name
        return nil
      }
      let daemon = try Daemon(arguments)
      return try daemon.ask(
        (daemon.client.status(), daemon.client.metrics(), .now), meaning: note)
    }
    let isTerminal = isatty(STDOUT_FILENO) == 1
    var (_, before, then) = try counted()
    for _ in 0..<(pages ?? .max) {
      sleep(interval)
      var page = ""
      do throws(CommandFailure) {
        let (report, now, time) = try counted()
        page =
          ActivityPage(report, from: before, to: now, seconds: (time - then) / .seconds(1)).text
        before = now
        then = time
      } catch {
        // Whoever watches a restart goes on watching; what is denied would be so again, and on the
        // record each time.
        guard isTerminal, !isDenied, let why = error.message else { throw error }
        page = why + "\n"
      }
      // A terminal shows one page, in place of the one before.
      if isTerminal { Output.write(Array("\u{1B}[H\u{1B}[J".utf8).span) }
      Output.write(page + "\n")
    }
  }
}

/// What a daemon did between two looks at what it has counted since its start.
struct ActivityPage {
  private let report: StatusReport
  private let seconds: Double
  /// What was added to each figure; of gauges what they are.
  private var added: [Metric: [Figure]] = [:]

  /// A daemon that was restarted meanwhile has counted from zero.
  init(_ report: StatusReport, from before: MetricsReply, to now: MetricsReply, seconds: Double) {
    self.report = report
    self.seconds = seconds
    for var figure in now.figures {
      let earlier =
        before.figures.first {
          ($0.metric, $0.labels, $0.bound) == (figure.metric, figure.labels, figure.bound)
        }?.value ?? 0
      if ![.userConnections, .batchesInFlight].contains(figure.metric), earlier <= figure.value {
        figure.value -= earlier
      }
      added[figure.metric, default: []].append(figure)
    }
  }

  var text: String {
    var table = Table(
      [
        "kistd",
        "\(report.productVersion), \(report.state), the log's disk \(report.auditCondition.isEmpty ? "unknown" : report.auditCondition)",
      ],
      [
        "secret memory",
        "\(Self.share(report.arenaUsed, report.arenaCapacity)) of \(report.arenaCapacity >> 20) MiB",
      ])
    let processor = Double(sum(.processorTime)) / 1e9 / seconds
    table.add([
      "processor",
      "\(Int(100 * processor)) %, \(sum(.batchesInFlight)) batches in flight, \(report.connections) connections",
    ])
    return table.text + "\n" + operations + list("denied", .denials) + list("busy", .busy)
      + list("connections by uid", .userConnections, perSecond: false)
  }

  private var operations: String {
    let requests = Dictionary(grouping: added[.requests] ?? []) { $0.labels.first ?? "" }.filter {
      $0.value.contains { $0.value > 0 }
    }
    guard !requests.isEmpty else { return "no requests\n" }
    var table = Table(["OPERATION", "EACH SECOND", "NOT OK", "P50 µs", "P99 µs"])
    for (operation, figures) in requests.sorted(by: { $0.key < $1.key }) {
      let all = figures.total
      let failed = figures.filter { $0.labels.last != "ok" }.total
      let times = (added[.answerTimes] ?? []).filter {
        $0.labels.first == operation && $0.bound > 0
      }.sorted { $0.bound < $1.bound }
      table.add([
        operation, each(all), each(failed), Self.quantile(0.5, times), Self.quantile(0.99, times),
      ])
    }
    return table.text
  }

  private func list(_ title: String, _ metric: Metric, perSecond: Bool = true) -> String {
    let figures = (added[metric] ?? []).filter { $0.value > 0 }.sorted {
      $0.labels.lexicographicallyPrecedes($1.labels)
    }
    let said = figures.map {
      $0.labels.joined(separator: " ") + " " + (perSecond ? each($0.value) : String($0.value))
    }
    return said.isEmpty ? "" : "\n\(title): \(Printable.line(said.joined(separator: ", ")))\n"
  }

  private func sum(_ metric: Metric) -> UInt64 { (added[metric] ?? []).total }

  private func each(_ count: UInt64) -> String {
    let tenths = Int((10 * Double(count) / seconds).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  /// The bound of the bucket in which it lies, in microseconds.
  private static func quantile(_ part: Double, _ buckets: [Figure]) -> String {
    let wanted = part * Double(buckets.total)
    var below: UInt64 = 0
    for bucket in buckets {
      below += bucket.value
      guard Double(below) >= wanted, below > 0 else { continue }
      return bucket.bound == .max ? "more" : "≤ \(bucket.bound / 1000)"
    }
    return "-"
  }

  private static func share(_ part: UInt64, _ whole: UInt64) -> String {
    whole == 0 ? "0 %" : "\(100 * part / whole) %"
  }
}

extension [Figure] {
  fileprivate var total: UInt64 { reduce(0) { $0 &+ $1.value } }
}
