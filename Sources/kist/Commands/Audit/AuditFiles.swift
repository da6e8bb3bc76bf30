import Audit
import Host
import Review

/// The small files that the audit commands take as arguments.
extension NoteVerifier {
  /// From a verifier key, or from a file with one.
  static func read(_ key: String) throws(CommandFailure) -> NoteVerifier {
    if let verifier = try? NoteVerifier(vkey: key) { return verifier }
    guard !key.contains("+") else {
      throw .failed(
        "'\(key)' is not a verifier key: expected NAME+HASH+KEY, as kist audit key prints it")
    }
    let text = String(decoding: try Input(path: key).contents(limit: 1024), as: UTF8.self)
    guard
      let verifier = try? NoteVerifier(vkey: text.split(whereSeparator: \.isWhitespace).first ?? "")
    else {
      throw .failed(
        "\(key): no verifier key in it: expected NAME+HASH+KEY, as kist audit key prints it")
    }
    return verifier
  }
}

extension NoteVerifier {
  /// A checkpoint that this log signed, with any cosignatures; for an export, the export's own.
  func checkpoint(_ path: String) throws(CommandFailure) -> CosignedCheckpoint {
    let export = ExportDirectory(path)
    let input =
      export.isComplete ? try Input(path: export.checkpointPath, .read) : try Input(path: path)
    let note = try input.contents(limit: CosignedCheckpoint.byteLimit)
    let checkpoint = try onNote(path, CosignedCheckpoint(parsing: note.span))
    _ = try onNote(path, checkpoint.head(signedBy: self))
    return checkpoint
  }
}

/// Reads a note at `path`; its errors are those of a checkpoint there.
func onNote<R>(_ path: String, _ body: @autoclosure () throws(NoteError) -> R)
  throws(CommandFailure) -> R
{
  do throws(NoteError) { return try body() } catch {
    throw .failed(path + ": " + error.ofCheckpoint)
  }
}

extension WitnessPolicy {
  static func read(_ path: String) throws(CommandFailure) -> WitnessPolicy {
    let text = try Input(path: path).contents(limit: byteLimit)
    do throws(WitnessPolicyError) {
      return try WitnessPolicy(parsing: text.span)
    } catch {
      throw CommandFailure(
        code: 1, "\(path):\(error.line): \(error.reason.rawValue)", isLocated: true)
    }
  }
}

extension NoteError {
  var ofCheckpoint: String {
    switch self {
    case .signer: "the checkpoint is signed by another log"
    case .signature: "the checkpoint's signature is bad"
    case .name, .key, .format, .backend: "no checkpoint"
    }
  }
}

/// A directory that has a log's segments, or an export of them.
enum AuditDirectory {
  /// Where the segments are: `log` of an export, or the directory itself.
  static func segments(_ path: String) -> String {
    let export = ExportDirectory(path)
    return export.isComplete ? export.logPath : path
  }

  /// - Throws: if there is no log at this path, which must not look like a log without records.
  static func requireLog(_ path: String) throws(CommandFailure) {
    let isAbsent: Bool
    do throws(AuditError) { isAbsent = try LogReader(LogDirectory(reading: path)).isAbsent } catch {
      throw .audit(error, path)
    }
    guard !isAbsent else {
      throw CommandFailure(code: CommandFailure.noInput, "\(path): there is no log")
    }
  }
}

extension LogDirectory {
  /// A log or an export of one, with the segments that were compressed.
  init(reading path: String) {
    self.init(AuditDirectory.segments(path), on: ProgressLine.disk(AuditDirectory.segments(path)))
  }
}

extension LogText {
  /// A log or an export of one, with the segments that were compressed.
  init(reading path: String) {
    self.init(AuditDirectory.segments(path), on: ProgressLine.disk(AuditDirectory.segments(path)))
  }
}

extension CommandFailure {
  /// Why reading the log in `directory` failed.
  static func audit(_ error: AuditError, _ directory: String) -> CommandFailure {
    switch error {
    case .disk(let error): .unreadable(directory, error)
    case .tampered(let sequence, _):
      .failed("\(directory): tampered with at record \(sequence); see kist audit verify")
    case .truncated: .failed("\(directory): a segment is missing; see kist audit verify")
    case .unavailable, .full, .inUse, .clock, .displaced, .signing:
      .failed("\(directory): cannot be read")
    }
  }

  /// Why nothing more was removed of the log in `directory`.
  static func retention(_ error: RetentionError, _ directory: String) -> CommandFailure {
    switch error {
    case .notGood(let found):
      CommandFailure(code: found.verdict.exitCode, "\(directory): \(found.verdict.text)")
    case .log, .proof: .failed("\(directory): cannot be read")
    case .disk(let error): .failed("\(directory): \(error.text)")
    }
  }
}
