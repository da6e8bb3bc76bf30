internal import Audit
internal import Crypto
internal import Format
internal import Host
internal import Review

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
    guard kept == nil || arguments.value("checkpoint") == nil && arguments.value("witnesses") == nil else {
      throw .usage("--keep excludes --checkpoint and --witnesses")
    }
    // The first time there is no file yet.
    let known = kept.flatMap { Input.isThere($0) ? $0 : nil }
    anchor = try (known ?? arguments.value("checkpoint")).map { (path) throws(CommandFailure) -> CosignedCheckpoint in try .read(path, verifier) }
    policy = try arguments.value("witnesses").map { (path) throws(CommandFailure) -> WitnessPolicy in try .read(path) }
    signatures = arguments.has("every-signature") ? .every : .last
    inJSON = arguments.has("json")
    kind = try Self.kind(of: path)
    if case .log = kind {} else if kept != nil { throw .usage("--keep is for a log's directory") }
    guard case .proof = kind else {
      guard policy == nil || anchor != nil else { throw .usage("--witnesses needs --checkpoint, the checkpoint that they cosigned") }
      return
    }
  }

  func log() throws(CommandFailure) {
    var newest: SignedCheckpoint?
    let verification = LogVerifier(verifier, anchor: anchor?.checkpoint.head, signatures: signatures)
    try report(verification.verify(LogDirectory(reading: path)) { newest = $0.checkpoint })
    guard let kept, let newest else { return }
    do throws(CommandFailure) { try Output.write(page: String(decoding: newest.note, as: UTF8.self), to: kept) } catch {
      // Not that of a log that was tampered with.
      throw CommandFailure(code: Self.unreadable, error.message)
    }
    if !inJSON { Output.write("  kept         the checkpoint of \(newest.checkpoint.head.size) records, in \(kept)\n") }
  }

  func export() throws(CommandFailure) {
    let finding: ExportVerifier.Finding
    do throws(ExportFault) {
      finding = try ExportVerifier(ExportDirectory(path), verifier, signatures: signatures).verify(anchor: anchor?.checkpoint.head)
    } catch {
      if case .log(let found) = error { return try report(found) }
      throw CommandFailure(code: error.exitCode, error.text(path))
    }
    if let log = finding.log { return try report(log, finding) }
    let text = "good\n  size   \(finding.head.size)\n  root   \(finding.head.root.hex)\n  tiles  \(finding.tileCount)\n" + finding.text
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

  private func report(_ found: Verification, _ export: ExportVerifier.Finding? = nil) throws(CommandFailure) {
    var (json, text) = (found.json + (export?.json ?? [:]), found.text + (export?.text ?? ""))
    if found.verdict == .good, anchor == nil {
      text += "  its end      unknown: give a checkpoint that was kept elsewhere (--checkpoint)\n"
    }
    if let head = found.head {
      let newer = newer(than: anchor, head)
      (json, text) = (json + newer.json, text + newer.text)
    }
    if inJSON { Output.write(json) } else { Output.write("\(path): \(text)") }
    guard found.verdict == .good else { throw CommandFailure(code: found.verdict.exitCode) }
    if let anchor { try requireQuorum(on: anchor) }
  }

  /// How many records no checkpoint from elsewhere vouches for.
  private func newer(than kept: CosignedCheckpoint?, _ head: TreeHead) -> (text: String, json: CanonicalJSON) {
    guard let kept else { return ("", [:]) }
    let count = head.size - min(head.size, kept.checkpoint.head.size)
    return ("  newer        \(count) records since the checkpoint\n", ["newer_records": .count(count)])
  }

  private func report(_ proof: RecordProof) throws(CommandFailure) {
    try require { () throws(NoteError) in try proof.isTrue(verifier) }
    guard let record = try? Record(parsing: proof.record.span) else { return }
    let head = proof.note.checkpoint.head
    try compare(head)
    try requireQuorum(on: proof.note)
    tell("good: record \(record.sequence) of \(head.size)\n\(HumanLine.text(record))\n", head.json + ["sequence": .count(record.sequence)])
  }

  /// Compares a proof's checkpoint with the one that was kept elsewhere.
  private func compare(_ head: TreeHead) throws(CommandFailure) {
    guard let kept = anchor?.checkpoint.head, kept != head else { return }
    guard kept.size != head.size else { throw CommandFailure(code: Self.untrue, "\(path): its checkpoint has another root than --checkpoint of the same size") }
    throw CommandFailure(
      code: Self.untrue,
      "\(path): its checkpoint has \(head.size) records, --checkpoint has \(kept.size): ask for a proof from that one, or for a proof of growth")
  }

  private func report(_ proof: GrowthProof) throws(CommandFailure) {
    guard let anchor else { throw .usage("a proof of growth needs --checkpoint, the older checkpoint") }
    try require { () throws(NoteError) in try proof.isTrue(verifier, from: anchor.checkpoint.head) }
    try requireQuorum(on: proof.note)
    let head = proof.note.checkpoint.head
    tell("good: the log grew from \(proof.oldSize) records to \(head.size)\n", head.json + ["old_size": .count(proof.oldSize)])
  }

  private func require(_ isTrue: () throws(NoteError) -> Bool) throws(CommandFailure) {
    let answer: Bool
    do throws(NoteError) { answer = try isTrue() } catch { throw CommandFailure(code: Self.untrue, path + ": " + error.ofCheckpoint) }
    guard answer else { throw CommandFailure(code: Self.untrue, "\(path): the proof is not true") }
  }

  private func tell(_ text: String, _ json: CanonicalJSON) {
    if inJSON { Output.write(json + ["ok": .bool(true)]) } else { Output.write("\(path): \(text)") }
  }

  private func requireQuorum(on note: CosignedCheckpoint) throws(CommandFailure) {
    guard let policy, !policy.isSatisfied(by: note, now: .now) else { return }
    throw CommandFailure(code: Self.unwitnessed, "the checkpoint of \(note.checkpoint.head.size) records lacks cosignatures that the policy requires")
  }
}

extension TreeHead {
  fileprivate var json: CanonicalJSON { ["root": .string(root.hex), "size": .count(size)] }
}
