internal import Audit
internal import Host
internal import Review

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
    options: [.value("key")],
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
    do throws(NoteError) { _ = try newest.head(signedBy: verifier) } catch { throw .failed(directory + ": " + error.ofCheckpoint) }
    Output.write(String(decoding: newest.note, as: UTF8.self))
  }
}
