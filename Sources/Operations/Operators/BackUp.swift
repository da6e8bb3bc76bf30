internal import Audit
internal import Crypto
internal import Format
internal import KeyStore

/// `back-up`: makes a verified copy of the key store in the configured directory [OP-BACKUP-1].
enum BackUp: Operation {
  package static let opcode = Opcode.backUp
  package static let bodyCap = 0
  package static let replyCap = 128

  package static func run(_ request: borrowing NoFields, _ context: borrowing OperationContext, into reply: inout MessageWriter) throws(OperationError) {
    guard let backups = context.daemon.backups else { throw .rejected(.backup) }
    backups.saveCounts()
    // No colons: programs that copy files take what precedes one for a host name.
    let time = context.now.wholeSeconds.filter { $0 != ":" }
    let (name, copy): (String, CopyFacts)
    do throws(KeyStoreError) { (name, copy) = try context.keys.copy(in: backups.directory) { "\(time)-g\($0)" } } catch {
      backups.reportFailure(error)
      throw .rejected(.backup)
    }
    context.finding.inputs.backup = Backup(digest: copy.digest, generation: UInt64(copy.generation), keys: UInt64(copy.keys), needs: copy.needs)
    var answer = BackUpReply()
    (answer.name, answer.digest) = (name, copy.digest.bytes)
    (answer.generation, answer.keys) = (UInt64(copy.generation), UInt32(clamping: copy.keys))
    answer.needs = copy.needs
    try reply.write(answer)
  }
}
