import Audit
import Format
import KistClient
import Review

extension Command {
  static let auditReview = Command(
    name: "audit review",
    summary: "sign off reviewed records, and list those not reviewed",
    usage: """
      Usage: kist audit review [DIR] [--json]
             kist audit review [DIR] --outcome NAME --note TEXT --key VKEY|FILE
                               [--through SEQUENCE] [--json] [--socket PATH]
                   [--timeout S]

      Lists the sign-offs in the log, and the records that nobody has signed off, or
      only users who made requests in them. With --outcome, verifies the log and has
      the daemon record that you reviewed it, up to one of its signed checkpoints. DIR
      is by default /var/log/kist/audit.

        --outcome NAME      clean, follow-up or incident
        --note TEXT         what you looked at and found: 1 to 500 bytes, one line
        --through SEQUENCE  the last record that you reviewed; the sign-off reaches to
                            the last checkpoint that has no later one (default: the
                            newest checkpoint)
        --key VKEY|FILE     the log's verifier key, or a file that holds it
        --json              answer in JSON
        --socket PATH       the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                            /run/kist/admin.sock)
        --timeout S         give up after so many seconds (default: 10)

      Exit codes: 0 done, 1 failed, 2 not understood; if the log is not good, that of
      kist audit verify.

      """,
    options: ["outcome", "note", "through", "key", .json],
    daemon: .operators,
    operands: 0...1
  ) { arguments throws(CommandFailure) in
    let directory = arguments.operands.first ?? UsualPlaces.auditLog
    let outcome = try arguments.value(
      "outcome", ReviewOutcome.allCases.map(\.name).joined(separator: ", "),
      ReviewOutcome.init(name:))
    guard let outcome else {
      guard ["note", "through", "key"].allSatisfy({ !arguments.has($0) }) else {
        throw .usage("--outcome is missing")
      }
      return try list(directory, arguments)
    }
    guard let note = ReviewNote(try arguments.required("note")) else {
      throw .usage("--note takes one line of 1 to 500 bytes, all of them printable")
    }
    let last = try arguments.number("through", in: 0...UInt64.max - 1)
    let key = try arguments.verifierKey()
    try Hardening.prepareForPublicData()
    let daemon = try Daemon(arguments)
    let head = try verified(
      directory, upTo: last.map { $0 + 1 } ?? .max, try NoteVerifier.read(key))
    let meaning =
      "the daemon's log has no checkpoint of \(head.size) records with this root: is \(directory) its log?"
    let sequence = try daemon.ask(
      daemon.client.reviewLog(SignOff(head, outcome, note)), rejectedMeans: meaning)
    Output.done("signed off up to record \(head.size - 1)", sequence, arguments)
  }

  private static func list(_ directory: String, _ arguments: Arguments) throws(CommandFailure) {
    try Hardening.prepareForPublicData()
    var coverage = ReviewCoverage()
    try RecordSearch(directory, .text).forEachRecord { coverage.add($0) }
    arguments.answer(coverage.json, coverage.section.text)
  }

  /// The last checkpoint of at most `size` records, in a log that verifies.
  private static func verified(_ directory: String, upTo size: UInt64, _ verifier: NoteVerifier)
    throws(CommandFailure) -> TreeHead
  {
    let log = LogDirectory(reading: directory)
    let found = LogVerifier(verifier).verify(log)
    guard found.verdict == .good else {
      throw CommandFailure(code: found.verdict.exitCode, "\(directory): \(found.verdict.text)")
    }
    let records = found.head?.size ?? 0
    guard size == .max || size <= records else {
      throw .failed("\(directory): no record \(size - 1): the log has \(records) records")
    }
    let checkpoint: SignedCheckpoint?
    do throws(AuditError) { checkpoint = try LogReader(log).checkpoint(upTo: size) } catch {
      throw .failed("\(directory): cannot be read")
    }
    guard let checkpoint else {
      throw .failed("\(directory): no checkpoint covers only records up to that one")
    }
    return try onNote(directory, checkpoint.head(signedBy: verifier))
  }
}
