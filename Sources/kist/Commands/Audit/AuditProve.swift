import Audit
import Host
import Review

extension Command {
  static let auditProve = Command(
    name: "audit prove",
    summary: "write the proof of a record, or of a log's growth",
    usage: """
      Usage: kist audit prove DIR SEQUENCE --key VKEY|FILE [--checkpoint FILE]
             kist audit prove DIR --from FILE --key VKEY|FILE [--checkpoint FILE]

      Writes a proof to standard output, which kist audit verify can check on another
      machine: a record, its place in the tree and a signed checkpoint (C2SP
      tlog-proof); or, with --from, that the log of a checkpoint begins with that of
      an older one. DIR is a log's directory or an export.

        --key VKEY|FILE    the log's verifier key, or a file that holds it
        --from FILE        the older checkpoint
        --checkpoint FILE  the checkpoint to prove it by, such as one that witnesses
                           have cosigned (default: the log's newest)

      """,
    options: ["key", "from", "checkpoint"],
    operands: 1...2
  ) { arguments throws(CommandFailure) in
    let directory = arguments.operands[0]
    let key = try arguments.verifierKey()
    let from = arguments.value("from")
    guard (arguments.operands.count == 2) != (from != nil) else {
      throw .usage("either a sequence or --from")
    }
    try Hardening.prepareForPublicData()
    let verifier = try NoteVerifier.read(key)
    let prover = Prover(LogDirectory(reading: directory), verifier)
    let note = try arguments.value("checkpoint").map(verifier.checkpoint)
    if let from {
      let old = try verifier.checkpoint(from).checkpoint.head
      return try write(directory, prover.growth(from: old, to: note).text)
    }
    guard let sequence = UInt64(arguments.operands[1]) else {
      throw .usage("'\(arguments.operands[1])' is not a sequence number")
    }
    try write(directory, prover.record(sequence, under: note).text)
  }

  private static func write(
    _ directory: String, _ proof: @autoclosure () throws(ProofError) -> [UInt8]
  )
    throws(CommandFailure)
  {
    do throws(ProofError) {
      let text = try proof()
      Output.write(text.span)
    } catch {
      switch error {
      case .log(.disk(let error)): throw .unreadable(directory, error)
      case .log: throw .failed("\(directory): tampered with; see kist audit verify")
      case .noCheckpoint: throw .failed("\(directory): no checkpoint in it")
      case .noRecord: throw .failed("\(directory): no such record under the checkpoint")
      case .removed(let oldest):
        throw .failed(
          "\(directory): the proof needs records that were removed with their segments; the log begins with record \(oldest)"
        )
      case .older(let size):
        throw .failed(
          "\(directory): it ends before --checkpoint, after \(size) records: export the log again, or take an older checkpoint"
        )
      case .signature: throw .failed("\(directory): the checkpoint is not signed by that key")
      case .shorter:
        throw .failed(
          "\(directory): fewer records than the older checkpoint says; see kist audit verify --checkpoint"
        )
      case .otherLog:
        throw .failed(
          "\(directory): the records are not those of the checkpoints; see kist audit verify --checkpoint"
        )
      }
    }
  }
}
