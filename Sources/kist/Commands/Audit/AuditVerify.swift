import Audit
import Crypto
import Format
import Host
import Review

extension Command {
  static let auditVerify = Command(
    name: "audit verify",
    summary: "check a log, an export or a proof, without a daemon",
    usage: """
      Usage: kist audit verify [PATH] --key VKEY|FILE [--checkpoint FILE|--keep FILE]
                               [--witnesses POLICY] [--every-signature] [--json]

      PATH is a log's directory, even while kistd writes it; a directory that kist
      audit export wrote; or a proof that kist audit prove wrote (default:
      /var/log/kist/audit).

      In a log it checks every record, every link of the chain, every checkpoint's
      size and root, and the signature of each segment's last checkpoint, which covers
      all before it. In an export it checks the log, the checkpoints, that the log
      names the policy in it, and every tile of its tree. It lists as unchecked what
      it cannot compare with anything. Where records were pruned, a checkpoint that is
      older than the oldest of them is compared by the proofs that kist audit prune
      kept.

        --key VKEY|FILE     the log's verifier key, as kist audit key prints it, or a
                            file that holds it
        --checkpoint FILE   a checkpoint of this log that was kept elsewhere, or an
                            export with one; without it, a log cut back to an older
                            checkpoint looks good. Also prints how many records came
                            after it. The proof of a log's growth starts at this one.
        --keep FILE         as --checkpoint; if the log is good, FILE then has its
                            newest checkpoint for the next time. If there is no FILE
                            yet, it is made. For a log alone, and a FILE on another
                            machine.
        --witnesses POLICY  witnesses that must have cosigned that checkpoint, or the
                            proof's (a C2SP tlog-policy file)
        --every-signature   also check the signatures of covered checkpoints; slower
        --json              answer in JSON

      Exit codes: 0 good, 1 tampered with or untrue, 2 not understood, 3 truncated, or
      an export from before --checkpoint, 4 unfinished bytes after the last
      checkpoint, 5 not enough witnesses, 6 not compared with --checkpoint, which is
      older than the oldest record, 66 log, proof, key or checkpoint cannot be read,
      or the one to keep not be written.

      """,
    options: [
      "key", "checkpoint", "keep", "witnesses",
      .flag("every-signature"), .json,
    ],
    operands: 0...1
  ) { arguments throws(CommandFailure) in
    let key = try arguments.verifierKey()
    let check: AuditCheck
    do throws(CommandFailure) {
      try Hardening.prepareForPublicData()
      check = try AuditCheck(arguments, NoteVerifier.read(key))
    } catch {
      throw error.code == 1
        ? CommandFailure(code: AuditCheck.unreadable, error.message, isLocated: error.isLocated)
        : error
    }
    switch check.kind {
    case .log: try check.log()
    case .export: try check.export()
    case .proof(let text): try check.proof(text)
    }
  }
}

/// The input of `kist audit verify`, and what it finds there.
struct AuditCheck {
  let kind: Kind
  private let path: String
  private let verifier: NoteVerifier
  /// A checkpoint that was kept elsewhere.
  private let anchor: CosignedCheckpoint?
  /// The file that has the checkpoint for the next time.
  private let kept: String?
  private let policy: WitnessPolicy?
  private let signatures: SignatureScope
  private let inJSON: Bool

  enum Kind {
    case log
    case export
    case proof([UInt8])
  }

  static let unreadable = Verdict.unreadable(nil).exitCode
  static let untrue: Int32 = 1
  private static let unwitnessed: Int32 = 5

  init(_ arguments: Arguments, _ verifier: NoteVerifier) throws(CommandFailure) {
    path = arguments.operands.first ?? UsualPlaces.auditLog
    self.verifier = verifier
    kept = arguments.value("keep")
    guard kept == nil || arguments.value("checkpoint") == nil && arguments.value("witnesses") == nil
    else {
      throw .usage("--keep excludes --checkpoint and --witnesses")
    }
    // The first time there is no file yet.
    let known = kept.flatMap { Input.isThere($0) ? $0 : nil }
    anchor = try (known ?? arguments.value("checkpoint")).map(verifier.checkpoint)
    policy = try arguments.value("witnesses").map(WitnessPolicy.read)
    signatures = arguments.has("every-signature") ? .every : .last
    inJSON = arguments.has("json")
    kind = try Self.kind(of: path)
    if case .log = kind {} else if kept != nil { throw .usage("--keep is for a log's directory") }
    guard case .proof = kind else {
      guard policy == nil || anchor != nil else {
        throw .usage("--witnesses needs --checkpoint, the checkpoint that they cosigned")
      }
      return
    }
  }

  func log() throws(CommandFailure) {
    var newest: SignedCheckpoint?
    let verification = LogVerifier(
      verifier, anchor: anchor?.checkpoint.head, signatures: signatures)
    try report(verification.verify(LogDirectory(reading: path)) { newest = $0.checkpoint })
    guard let kept, let newest else { return }
    do throws(CommandFailure) {
      try Output.write(page: String(decoding: newest.note, as: UTF8.self), to: kept)
    } catch {
      // Not that of a log that was tampered with.
      throw CommandFailure(code: Self.unreadable, error.message)
    }
    if !inJSON {
      Output.write(
        "  kept         the checkpoint of \(newest.checkpoint.head.size) records, in \(kept)\n")
    }
  }

  func export() throws(CommandFailure) {
    let finding: ExportVerifier.Finding
    do throws(ExportFault) {
      finding = try ExportVerifier(ExportDirectory(path), verifier, signatures: signatures).verify(
        anchor: anchor?.checkpoint.head)
    } catch {
      if case .log(let found) = error { return try report(found) }
      throw CommandFailure(code: error.exitCode, error.text(path))
    }
    if let log = finding.log { return try report(log, finding) }
    let text =
      "good\n  size   \(finding.head.size)\n  root   \(finding.head.root.hex)\n  tiles  \(finding.tileCount)\n"
      + finding.text
    let newer = newer(than: anchor, finding.head)
    tell(text + newer.text, finding.head.json + finding.json + newer.json)
  }

  func proof(_ text: [UInt8]) throws(CommandFailure) {
    if let proof = try? RecordProof(parsing: text.span) { return try report(proof) }
    if let proof = try? GrowthProof(parsing: text.span) { return try report(proof) }
    throw CommandFailure(code: Self.unreadable, "\(path): neither a log nor an export nor a proof")
  }
}

extension AuditCheck {
  private static func kind(of path: String) throws(CommandFailure) -> Kind {
    do throws(DiskError) {
      let names = try LinuxDisk().list(path)
      return names.contains("checkpoint") ? .export : .log
    } catch {
      // ENOTDIR
      guard error.errno == 20 else { return .log }
      return .proof(try Input(path: path).contents(limit: RecordProof.byteLimit))
    }
  }

  private func report(_ found: Verification, _ export: ExportVerifier.Finding? = nil)
    throws(CommandFailure)
  {
    var json = found.json + (export?.json ?? [:])
    var text = found.text + (export?.text ?? "")
    if found.verdict == .good, anchor == nil {
      text += "  its end      unknown: give a checkpoint that was kept elsewhere (--checkpoint)\n"
    }
    if let head = found.head {
      let newer = newer(than: anchor, head)
      json = json + newer.json
      text = text + newer.text
    }
    if inJSON { Output.write(json) } else { Output.write("\(path): \(text)") }
    guard found.verdict == .good else { throw CommandFailure(code: found.verdict.exitCode) }
    if let anchor { try requireQuorum(on: anchor) }
  }

  /// How many records no checkpoint from elsewhere vouches for.
  private func newer(than kept: CosignedCheckpoint?, _ head: TreeHead) -> (
    text: String, json: CanonicalJSON
  ) {
    guard let kept else { return ("", [:]) }
    let count = head.size - min(head.size, kept.checkpoint.head.size)
    return (
      "  newer        \(count) records since the checkpoint\n", ["newer_records": count]
    )
  }

  private func report(_ proof: RecordProof) throws(CommandFailure) {
    try require(proof.isTrue(verifier))
    guard let record = try? Record(parsing: proof.record.span) else { return }
    let head = proof.note.checkpoint.head
    try compare(head)
    try requireQuorum(on: proof.note)
    tell(
      "good: record \(record.sequence) of \(head.size)\n\(HumanLine.text(record))\n",
      head.json + ["sequence": record.sequence])
  }

  /// Compares a proof's checkpoint with the one that was kept elsewhere.
  private func compare(_ head: TreeHead) throws(CommandFailure) {
    guard let kept = anchor?.checkpoint.head, kept != head else { return }
    guard kept.size != head.size else {
      throw CommandFailure(
        code: Self.untrue,
        "\(path): its checkpoint has another root than --checkpoint of the same size")
    }
    throw CommandFailure(
      code: Self.untrue,
      "\(path): its checkpoint has \(head.size) records, --checkpoint has \(kept.size): ask for a proof from that one, or for a proof of growth"
    )
  }

  private func report(_ proof: GrowthProof) throws(CommandFailure) {
    guard let anchor else {
      throw .usage("a proof of growth needs --checkpoint, the older checkpoint")
    }
    try require(proof.isTrue(verifier, from: anchor.checkpoint.head))
    try requireQuorum(on: proof.note)
    let head = proof.note.checkpoint.head
    tell(
      "good: the log grew from \(proof.oldSize) records to \(head.size)\n",
      head.json + ["old_size": proof.oldSize])
  }

  private func require(_ isTrue: @autoclosure () throws(NoteError) -> Bool) throws(CommandFailure) {
    let answer: Bool
    do throws(NoteError) { answer = try isTrue() } catch {
      throw CommandFailure(code: Self.untrue, path + ": " + error.ofCheckpoint)
    }
    guard answer else { throw CommandFailure(code: Self.untrue, "\(path): the proof is not true") }
  }

  private func tell(_ text: String, _ json: CanonicalJSON) {
    if inJSON { Output.write(json + ["ok": true]) } else { Output.write("\(path): \(text)") }
  }

  private func requireQuorum(on note: CosignedCheckpoint) throws(CommandFailure) {
    guard let policy, !policy.isSatisfied(by: note, now: .now) else { return }
    throw CommandFailure(
      code: Self.unwitnessed,
      "the checkpoint of \(note.checkpoint.head.size) records lacks cosignatures that the policy requires"
    )
  }
}

extension TreeHead {
  fileprivate var json: CanonicalJSON { ["root": root.hex, "size": size] }
}
