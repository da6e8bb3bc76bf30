import Audit
import Configuration
import Crypto
import Format
import Glibc
import Host
import Policy
import Review

extension Command {
  static let auditReport = Command(
    name: "audit report",
    summary: "count who did what in a period of the log",
    usage: """
      Usage: kist audit report [DIR] --since TIME [OPTIONS]

      Prints the verifier's finding and what needs attention, then who used which key,
      refusals, exceptions, what is new, keys that end soon, unusual hours and rates,
      events and gaps. New is what the log before the period does not have. DIR is a
      log's directory or an export (default: /var/log/kist/audit).

        --since TIME       from then on, such as 2026-11-20 or 2026-11-20T09:30:00Z,
                           in UTC
        --until TIME       before then (default: the log's end)
        --key VKEY|FILE    verify the log first, with this verifier key
        --checkpoint FILE  a checkpoint of this log that was kept elsewhere, or an
                           export with one: without it nobody knows whether records
                           were cut off the log's end, and the report says so
        --keys FILE        what kist key list --json printed, for the keys' ends
        --policy DIR       the policy, such as /etc/kist/policy.d, for its quotas
        --html FILE        write one self-contained page, with the records behind each
                           figure; an existing file is replaced, - is standard output
        --json             answer in JSON

      Exit codes: 0 done, 1 failed, 2 not understood; if the log is not good, that of
      kist audit verify, after the report.

      """,
    options: [
      "since", "until", "key", "checkpoint", "keys",
      "policy", "html", .json,
    ],
    operands: 0...1
  ) { arguments throws(CommandFailure) in
    let directory = arguments.operands.first ?? UsualPlaces.auditLog
    _ = try arguments.required("since")
    let (start, until) = try arguments.period()
    guard let since = start else { return }
    guard arguments.has("key") || !arguments.has("checkpoint") else {
      throw .usage("--checkpoint needs --key, the log's verifier key")
    }
    let page = try arguments.page()
    try Hardening.prepareForPublicData()
    let keys = try arguments.value("keys").map(listedKeys)
    let quotas = try arguments.value("policy").map(quotaUse)
    let verifier = try LogCheck.verifier(arguments)
    let check = try LogCheck.of(directory, verifier, arguments)
    let finding = check.finding
    let review = try counted(Review(since: since, until: until, quotas: quotas), directory, check)
    let imprint = Imprint(
      log: directory, verifierKey: verifier?.vkey, made: .now, host: HostName.current,
      version: ProductVersion.text)
    if let file = page {
      try Output.write(page: ReviewPage.html(review, finding, keys: keys, imprint), to: file)
    }
    if arguments.has("json") {
      Output.write(review.json(finding, keys: keys, imprint))
    } else if page == nil {
      Output.write(review.text(finding, keys: keys, imprint))
    }
    if check.exitCode != 0 { throw CommandFailure(code: check.exitCode) }
  }

  /// If the log cannot even be counted, its own fault is reported first.
  private static func counted(_ empty: Review, _ directory: String, _ check: LogCheck)
    throws(CommandFailure) -> Review
  {
    do throws(CommandFailure) {
      var review = empty
      try RecordSearch(directory, .text).forEachRecord { review.add($0) }
      return review
    } catch {
      guard check.exitCode != 0 else { throw error }
      throw CommandFailure(code: check.exitCode, "\(directory): \(check.finding.text)")
    }
  }

  private static func quotaUse(_ directory: String) throws(CommandFailure) -> QuotaUse {
    let policy = try PolicyDirectory.read(directory)
    // Of a wrong directory the report would say that there are no quotas.
    guard !policy.rules.isEmpty else {
      throw CommandFailure(code: CommandFailure.noInput, "\(directory): there is no policy")
    }
    return QuotaUse(policy.quotas)
  }

  private static func listedKeys(_ path: String) throws(CommandFailure) -> [ListedKey] {
    var text = try Input(path: path).contents(limit: 16 << 20)
    if text.last == UInt8(ascii: "\n") { text.removeLast() }
    guard let json = try? CanonicalJSON(parsing: text.span, byteLimit: 16 << 20),
      let keys = ListedKey.list(json)
    else {
      throw .failed("\(path): not what kist key list --json prints")
    }
    return keys
  }
}

extension Review {
  /// The tables, for a terminal.
  fileprivate func text(_ finding: ReviewFinding, keys: [ListedKey]?, _ imprint: Imprint)
    -> String
  {
    var text =
      "\(imprint.log): \(finding.text)\n\(imprint.text)\n\(periodText) \(records.count) records, \(requestCount) requests.\n"
    for section in sections(keys: keys) { text += "\n\(section.title)\n\(section.text)" }
    return text
  }
}

/// The verification of a report's log, before anything is counted.
struct LogCheck {
  let finding: ReviewFinding
  /// The exit code of `kist audit verify`.
  let exitCode: Int32

  /// The key that was given. The sandbox's is for its own log, the one that is read where none is
  /// named.
  static func verifier(_ arguments: Arguments) throws(CommandFailure) -> NoteVerifier? {
    let usual = arguments.operands.isEmpty ? UsualPlaces.verifierKey : nil
    return try (arguments.value("key") ?? usual).map(NoteVerifier.read)
  }

  /// Verifies a log or an export, if there is a key.
  static func of(_ directory: String, _ verifier: NoteVerifier?, _ arguments: Arguments)
    throws(CommandFailure) -> LogCheck
  {
    guard let verifier else { return LogCheck(finding: .unverified, exitCode: 0) }
    let anchor = try arguments.value("checkpoint").map(verifier.checkpoint)?.checkpoint.head
    let export = ExportDirectory(directory)
    guard export.isComplete else {
      return LogCheck(
        LogVerifier(verifier, anchor: anchor).verify(LogDirectory(reading: directory)), anchor)
    }
    do throws(ExportFault) {
      guard let log = try ExportVerifier(export, verifier).verify(anchor: anchor).log else {
        throw .unreadable("log")
      }
      return LogCheck(log, anchor)
    } catch {
      if case .log(let log) = error { return LogCheck(log, anchor) }
      return LogCheck(finding: .bad(error.text + "."), exitCode: error.exitCode)
    }
  }
}

extension LogCheck {
  private init(_ found: Verification, _ anchor: TreeHead?) {
    self.init(finding: ReviewFinding(found, anchor), exitCode: found.verdict.exitCode)
  }
}

extension ReviewFinding {
  /// - Parameter anchor: a tree head that was kept elsewhere.
  fileprivate init(_ found: Verification, _ anchor: TreeHead?) {
    let size = found.head.map { "\($0.size) records, root \($0.root.hex)" } ?? "no checkpoint"
    let since = (found.head?.size ?? 0) - min(found.head?.size ?? 0, anchor?.size ?? 0)
    let newer = " Records since then: \(since); whether there were more is not known."
    switch found.verdict {
    case .good:
      guard let anchor else {
        self = .endUnknown("every record is in its place under a signed checkpoint; \(size).")
        return
      }
      let place =
        anchor.size < found.firstSequence
        ? "by its proofs the log begins with that" : "so is the checkpoint"
      self = .good(
        "every record is in its place under a signed checkpoint, and \(place) of \(anchor.size) records kept elsewhere; \(size).\(newer)"
      )
    case .uncompared(let kept, let oldest):
      self = .bad(
        "every record that is left is in its place under a signed checkpoint, but the checkpoint of \(kept) records kept elsewhere was NOT COMPARED: it is older than the oldest record, \(oldest), and no true proof leads from it; \(size).\(newer)"
      )
    case .torn(let bytes, let records):
      self = .bad(
        "\(bytes) bytes and \(records) whole records follow the last checkpoint; \(size).")
    case .truncated(_, let expected):
      self = .bad("records are missing, there were \(expected); \(size).")
    case .tampered(let sequence, _):
      self = .bad("the log was tampered with at record \(sequence); kist audit verify says how.")
    case .unreadable: self = .bad("the log cannot be read, or there is none.")
    }
  }
}

extension ReviewSection {
  /// The rows for a terminal, or the text that replaces them if there are none.
  var text: String {
    let lines = rows.map { ["  " + ($0.first?.text ?? "")] + $0.dropFirst().map(\.text) }
    return Table(lines.isEmpty ? [["  " + empty]] : lines).text
  }
}
