import Audit
import Host
import Review

extension Command {
  static let auditCheckpoint = Command(
    name: "audit checkpoint",
    summary: "print a log's newest checkpoint, to keep it elsewhere",
    usage: """
      Usage: kist audit checkpoint [DIR] --key VKEY|FILE

      Prints the newest checkpoint with a valid signature, by default of
      /var/log/kist/audit. Keep it where the host cannot change it: with it, kist
      audit verify --checkpoint detects a log that was cut or replaced.

        --key VKEY|FILE  the log's verifier key, or a file that holds it

      """,
    options: ["key"],
    operands: 0...1
  ) { arguments throws(CommandFailure) in
    let directory = arguments.operands.first ?? UsualPlaces.auditLog
    let key = try arguments.verifierKey()
    try Hardening.prepareForPublicData()
    let verifier = try NoteVerifier.read(key)
    let newest: SignedCheckpoint?
    do throws(AuditError) {
      newest = try LogReader(LogDirectory(reading: directory)).newestCheckpoint()
    } catch {
      guard case .disk(let error) = error else { throw .failed("\(directory): cannot be read") }
      throw .unreadable(directory, error)
    }
    guard let newest else { throw .failed("\(directory): no checkpoint in it") }
    _ = try onNote(directory, newest.head(signedBy: verifier))
    Output.write(String(decoding: newest.note, as: UTF8.self))
  }
}

extension Command {
  static let auditCosign = Command(
    name: "audit cosign",
    summary: "add witnesses' signatures to a checkpoint",
    usage: """
      Usage: kist audit cosign CHECKPOINT LINES --key VKEY|FILE --witnesses POLICY

      Checks the signature lines that witnesses returned (C2SP tlog-witness), and
      prints the checkpoint with them. It leaves out lines of witnesses that the
      policy does not name.

        --key VKEY|FILE     the log's verifier key, or a file that holds it
        --witnesses POLICY  the witnesses' keys (a C2SP tlog-policy file)

      Exit codes: 0 the policy's quorum is complete, 5 it is not; the checkpoint is
      printed with the lines that there are.

      """,
    options: ["key", "witnesses"],
    operands: 2...2
  ) { arguments throws(CommandFailure) in
    let key = try arguments.verifierKey()
    let policyFile = try arguments.required("witnesses")
    try Hardening.prepareForPublicData()
    var note = try NoteVerifier.read(key).checkpoint(arguments.operands[0])
    let policy = try WitnessPolicy.read(policyFile)
    let lines = arguments.operands[1]
    let text = try Input(path: lines).contents(limit: CosignedCheckpoint.byteLimit)
    do throws(NoteError) {
      for stamp in try NoteStamp.all(in: text.span) where policy.takes(stamp, over: note.checkpoint)
      { note.add(stamp) }
    } catch { throw .failed("\(lines): not a witness's signature lines") }
    guard !policy.cosigners(of: note, now: .now).isEmpty else {
      throw .failed(
        "\(lines): no valid signature of a witness that the policy names, or one from the future")
    }
    Output.write(String(decoding: note.note, as: UTF8.self))
    guard policy.isSatisfied(by: note, now: .now) else {
      throw CommandFailure(code: 5, "more witnesses are needed")
    }
  }
}
