internal import Audit
internal import Crypto
internal import Review

/// The verification of a report's log, before anything is counted.
struct LogCheck {
  let finding: ReviewFinding
  /// The exit code of `kist audit verify`.
  let exitCode: Int32

  /// The key that was given. The sandbox's is for its own log, the one that is read where none is named.
  static func verifier(_ arguments: Arguments) throws(CommandFailure) -> NoteVerifier? {
    let usual = arguments.operands.isEmpty ? UsualPlaces.verifierKey : nil
    return try (arguments.value("key") ?? usual).map { (key) throws(CommandFailure) in try NoteVerifier.read(key) }
  }

  /// Verifies a log or an export, if there is a key.
  static func of(_ directory: String, _ verifier: NoteVerifier?, _ arguments: Arguments) throws(CommandFailure) -> LogCheck {
    guard let verifier else { return LogCheck(finding: .unverified, exitCode: 0) }
    let anchor = try arguments.value("checkpoint").map { (path) throws(CommandFailure) in try CosignedCheckpoint.read(path, verifier).checkpoint.head }
    let export = ExportDirectory(directory)
    guard export.isComplete else { return LogCheck(LogVerifier(verifier, anchor: anchor).verify(LogDirectory(reading: directory)), anchor) }
    do throws(ExportFault) {
      guard let log = try ExportVerifier(export, verifier).verify(anchor: anchor).log else { throw .unreadable("log") }
      return LogCheck(log, anchor)
    } catch {
      if case .log(let log) = error { return LogCheck(log, anchor) }
      return LogCheck(finding: .bad(error.text + "."), exitCode: error.exitCode)
    }
  }
}

extension LogCheck {
  private init(_ found: Verification, _ anchor: TreeHead?) { self.init(finding: ReviewFinding(found, anchor), exitCode: found.verdict.exitCode) }
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
      let place = anchor.size < found.firstSequence ? "by its proofs the log begins with that" : "so is the checkpoint"
      self = .good("every record is in its place under a signed checkpoint, and \(place) of \(anchor.size) records kept elsewhere; \(size).\(newer)")
    case .uncompared(let kept, let oldest):
      self = .bad(
        "every record that is left is in its place under a signed checkpoint, but the checkpoint of \(kept) records kept elsewhere was NOT COMPARED: it is older than the oldest record, \(oldest), and no true proof leads from it; \(size).\(newer)"
      )
    case .torn(let bytes, let records): self = .bad("\(bytes) bytes and \(records) whole records follow the last checkpoint; \(size).")
    case .truncated(_, let expected): self = .bad("records are missing, there were \(expected); \(size).")
    case .tampered(let sequence, _): self = .bad("the log was tampered with at record \(sequence); kist audit verify says how.")
    case .unreadable: self = .bad("the log cannot be read, or there is none.")
    }
  }
}
