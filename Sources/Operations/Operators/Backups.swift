import Audit
import Crypto
import Format
import KeyStore

/// `back-up`: makes a verified copy of the key store in the configured directory [OP-BACKUP-1].
enum BackUp: Operation {
  static let opcode = Opcode.backUp

  static func run(
    _ request: borrowing NoFields, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    guard let backups = context.daemon.backups else { throw .rejected(.backup) }
    backups.saveCounts()
    // No colons: programs that copy files take what precedes one for a host name.
    let time = context.now.wholeSeconds.filter { $0 != ":" }
    let (name, copy): (String, CopyFacts)
    do throws(KeyStoreError) {
      (name, copy) = try context.keys.copy(in: backups.directory) { "\(time)-g\($0)" }
    } catch {
      backups.reportFailure(error)
      throw .rejected(.backup)
    }
    context.finding.inputs.backup = Backup(
      digest: copy.digest, generation: UInt64(copy.generation), keys: UInt64(copy.keys),
      needs: copy.needs)
    var answer = BackUpReply()
    answer.name = name
    answer.digest = copy.digest.bytes
    answer.generation = UInt64(copy.generation)
    answer.keys = UInt32(clamping: copy.keys)
    answer.needs = copy.needs
    try reply.write(answer)
  }
}

/// `record-drill`: compares keys rebuilt from a backup with the live ones, and records the result
/// [OP-DRILL-1].
enum RecordDrill: Operation {
  static let opcode = Opcode.recordDrill

  static func run(
    _ request: borrowing RecordDrillRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    guard request.kek == context.keys.kekCheck.bytes else { throw .rejected(.otherKEK) }
    var rebuilt = Dictionary(
      request.keys.map { ($0.id, $0.checkValue) }, uniquingKeysWith: { first, _ in first })
    let after = request.after
    let last = request.more ? request.keys.last?.id : nil
    func isCovered(_ id: [UInt8]) -> Bool {
      after.lexicographicallyPrecedes(id) && !(last?.lexicographicallyPrecedes(id) ?? false)
    }
    guard rebuilt.count == request.keys.count, !request.more || last != nil,
      rebuilt.keys.allSatisfy(isCovered)
    else { throw .rejected(.format) }
    var (matched, missing, different): (Int, [String], [String]) = (0, [], [])
    for record in context.keys.records where isCovered(record.id.bytes) {
      let value = rebuilt.removeValue(forKey: record.id.bytes)
      // A backup may still have keys that were destroyed since.
      guard record.state != .destroyed else { continue }
      switch value {
      case nil: missing.append(record.label.text)
      case record.check.value: matched += 1
      case .some: different.append(record.label.text)
      }
    }
    // A backup may still have keys that were destroyed since, and are listed no more.
    rebuilt = rebuilt.filter { id, _ in
      KeyID(prefixOf: id.span).map { !context.keys.wasDestroyed($0) } ?? true
    }
    context.finding.inputs.drill = Drill(
      generation: request.generation, matched: UInt64(matched), missing: UInt64(missing.count),
      different: UInt64(different.count),
      surplus: UInt64(rebuilt.count), isPart: request.more || !after.isEmpty)
    var answer = RecordDrillReply()
    answer.matched = UInt32(matched)
    answer.surplus = UInt32(rebuilt.count)
    answer.missing = Array(missing.prefix(RecordDrillReply.Caps.missingCount))
    answer.different = Array(different.prefix(RecordDrillReply.Caps.missingCount))
    try reply.write(answer)
  }
}
