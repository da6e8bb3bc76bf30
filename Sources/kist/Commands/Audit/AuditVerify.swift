internal import Audit
internal import Format
internal import Host
internal import Review

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
    options: [.value("key"), .value("checkpoint"), .value("keep"), .value("witnesses"), .flag("every-signature"), .json],
    operands: 0...1
  ) { arguments throws(CommandFailure) in
    let key = try arguments.verifierKey()
    let check: AuditCheck
    do throws(CommandFailure) {
      try Hardening.prepareForPublicData()
      check = try AuditCheck(arguments, NoteVerifier.read(key))
    } catch { throw error.code == 1 ? CommandFailure(code: AuditCheck.unreadable, error.message, isLocated: error.isLocated) : error }
    switch check.kind {
    case .log: try check.log()
    case .export: try check.export()
    case .proof(let text): try check.proof(text)
    }
  }
}
