internal import Audit
internal import CryptoBackend
internal import Encoding
internal import Storage

extension Command {
  static let auditVerify = Command(
    name: "audit verify",
    summary: "check a whole audit log, without a daemon",
    usage: """
      Usage: kist audit verify DIR --key VKEY|FILE [--checkpoint FILE] [--json]

      Checks every record, every link of the chain and every checkpoint's size, root
      and signature.

        --key VKEY|FILE    the log's verifier key, as kist audit key prints it, or a
                           file that holds it
        --checkpoint FILE  a checkpoint of this log that was kept elsewhere; without
                           one, a log cut back to an older checkpoint looks good
        --json             answer in JSON

      Exit codes: 0 good, 1 tampered with, 2 not understood, 3 truncated, 4 torn
      behind the last checkpoint, 66 log, key or checkpoint cannot be read.

      """,
    options: [.value("key"), .value("checkpoint"), .json],
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let directory = arguments.operands[0]
    let key = try arguments.required("key")
    let verifier: LogVerifier
    do throws(CommandFailure) {
      try Hardening.prepareForPublicData()
      let note = try NoteVerifier.read(key)
      verifier = LogVerifier(note, anchor: try arguments.value("checkpoint").map { (path) throws(CommandFailure) in try .read(path, note) })
    } catch { throw CommandFailure(code: Verdict.unreadable(nil).exitCode, error.message) }
    let found = verifier.verify(LogDirectory(directory))
    if arguments.has("json") { Output.write(found.json) } else { Output.write("\(directory): \(found.text)") }
    guard found.verdict == .good else { throw CommandFailure(code: found.verdict.exitCode) }
  }
}

extension NoteVerifier {
  /// From a verifier key, or from a file with one.
  static func read(_ key: String) throws(CommandFailure) -> NoteVerifier {
    if let verifier = try? NoteVerifier(vkey: key) { return verifier }
    guard !key.contains("+") else { throw .failed("'\(key)' is no verifier key: expected NAME+HASH+KEY, as kist audit key prints it") }
    let text = String(decoding: try Input(path: key).contents(limit: 1024), as: UTF8.self)
    guard let verifier = try? NoteVerifier(vkey: text.split(whereSeparator: \.isWhitespace).first ?? "") else {
      throw .failed("\(key): no verifier key in it: expected NAME+HASH+KEY, as kist audit key prints it")
    }
    return verifier
  }
}

extension TreeHead {
  /// What a checkpoint says, if this log signed it.
  fileprivate static func read(_ path: String, _ verifier: NoteVerifier) throws(CommandFailure) -> TreeHead {
    let note = try Input(path: path).contents(limit: SignedCheckpoint.byteLimit)
    do throws(NoteError) {
      return try SignedCheckpoint(parsing: note.span).head(signedBy: verifier)
    } catch {
      switch error {
      case .signer: throw .failed("\(path): the checkpoint is signed by another log")
      case .signature: throw .failed("\(path): the checkpoint's signature is bad")
      case .name, .key, .format, .backend: throw .failed("\(path): no checkpoint")
      }
    }
  }
}

extension Verification {
  fileprivate var text: String {
    var table = Table()
    if let head {
      table.add(["  records", "\(head.size &- firstSequence), from sequence \(firstSequence)"])
      table.add(["  root", head.root.hex])
    }
    table.add(["  checkpoints", String(checkpointCount)])
    table.add(["  segments", String(segmentCount)])
    return "\(verdict.text)\n\(table.text)"
  }

  fileprivate var json: CanonicalJSON {
    var members: [CanonicalJSON.Member] = [
      .init("checkpoints", .count(checkpointCount)), .init("first_sequence", .count(firstSequence)), .init("ok", .bool(verdict == .good)),
      .init("segments", .count(segmentCount)), .init("uncovered_records", .count(uncoveredCount)), .init("verdict", .string(verdict.name)),
    ]
    if let head { members += [.init("root", .string(head.root.hex)), .init("size", .count(head.size))] }
    if case .tampered(let sequence, let what) = verdict { members += [.init("at", .count(sequence)), .init("what", .string(what.rawValue))] }
    if case .truncated(_, let expected) = verdict { members.append(.init("expected_size", .count(expected))) }
    return .object(members)
  }
}

extension Verdict {
  fileprivate var name: String {
    switch self {
    case .good: "good"
    case .torn: "torn"
    case .truncated: "truncated"
    case .tampered: "tampered"
    case .unreadable: "unreadable"
    }
  }

  fileprivate var text: String {
    switch self {
    case .good: "good"
    case .torn(let bytes, let records):
      "torn: \(bytes) bytes and \(records) whole records follow the last checkpoint; kistd sets them aside when it starts"
    case .truncated(let size, let expected): "TRUNCATED: \(size) records, where there were \(expected)"
    case .tampered(let sequence, let what): "TAMPERED WITH at record \(sequence): \(what.text)"
    case .unreadable(let error): "cannot be read: \(error.map { SystemError.text($0.errno) } ?? "there is no log")"
    }
  }
}

extension Tampering {
  fileprivate var text: String {
    switch self {
    case .form: "neither a record nor a checkpoint"
    case .sequence: "a sequence number is out of order"
    case .chain: "a record does not name the one before it"
    case .segment: "a segment does not continue the one before it"
    case .signer: "a checkpoint is signed by another name or key"
    case .signature: "a checkpoint's signature is bad"
    case .size: "a checkpoint's size is not the number of records before it"
    case .root: "a checkpoint's root is not that of the records before it"
    case .fork: "this is not the log that the checkpoint was taken of"
    case .remainder: "something follows the last checkpoint of a segment that is not the last"
    }
  }
}
