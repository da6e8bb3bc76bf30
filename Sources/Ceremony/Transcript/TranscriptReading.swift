internal import Audit
internal import Configuration
package import CryptoBackend
package import Encoding
package import KeyStore
internal import Storage

/// All that the transcripts of a ceremony say, once every record, link and signature of the program's was checked.
package struct TranscriptReading: Sendable {
  package let plan: CeremonyPlan
  /// What the first sitting began with.
  package private(set) var kind = StoreKind.production
  package private(set) var store = ""
  package private(set) var hasBegun = false
  /// Sittings there are directories of: all but the one that did the last step were cut off.
  package private(set) var sittings = 0
  package private(set) var entries: [Moment] = []
  /// What the store must hold now.
  private(set) var expectation = StoreExpectation()
  /// Steps that are done, from the first on without a gap.
  package private(set) var stepsDone = 0
  package private(set) var isComplete = false
  /// What the last sitting's last checkpoint says, and whose key signed it.
  private(set) var last: (head: TreeHead, verifier: NoteVerifier)?
  /// What a further sitting names as the one before its first record.
  private(set) var leaf: Digest256?

  package struct Moment: Sendable {
    package let time: Timestamp
    package let entry: TranscriptEntry
  }

  /// - Throws: `TranscriptFault`.
  package init(_ directory: CeremonyDirectory) throws(TranscriptFault) {
    let text: [UInt8]
    do throws(StorageError) { text = try directory.read(CeremonyDirectory.planName, limit: CeremonyDirectory.fileLimit) } catch { throw .unreadable(error) }
    do throws(ConfigurationError) { plan = try CeremonyPlan.decode(text, file: CeremonyDirectory.planName) } catch { throw .plan }
    do throws(DiskError) { sittings = try directory.sittings() } catch { throw .unreadable(.disk(error)) }
    guard sittings > 0 else { throw .sitting(1) }
    for sitting in 1...sittings { try read(sitting, directory) }
  }

  package var interrupted: Int { sittings - (isComplete ? 1 : 0) }

  /// What was not as the plan has it.
  package var exceptions: [Moment] {
    entries.filter { if case .exception = $0.entry { true } else { false } }
  }

  /// The digest that each output was last written with.
  package var outputs: [String: Digest256] {
    entries.reduce(into: [:]) { if case .output(let name, let digest) = $1.entry { $0[name] = digest } }
  }
}

extension TranscriptReading {
  private mutating func read(_ sitting: Int, _ directory: CeremonyDirectory) throws(TranscriptFault) {
    guard let verifier = try Self.verifier(sitting, directory) else { return }
    let log = directory.transcript(sitting)
    let found = LogVerifier(verifier, signatures: .every).verify(log)
    switch found.verdict {
    case .good, .torn, .unreadable(nil): break
    case .truncated, .tampered, .unreadable: throw .log(sitting: sitting)
    }
    // A sitting that was cut off before its first record says nothing.
    guard let head = found.head else { return }
    try take(try Self.records(of: log, upTo: head, sitting), sitting, verifier)
    last = (head, verifier)
  }

  private mutating func take(_ records: [(Record, leaf: Digest256)], _ sitting: Int, _ verifier: NoteVerifier) throws(TranscriptFault) {
    guard let first = records.first, first.0.previous == (leaf ?? Digest256(hex: String(repeating: "0", count: 64))) else { throw .sitting(sitting) }
    var isOpen = false
    for (record, _) in records {
      guard let entry = try TranscriptEntry(record) else { continue }
      if case .began(let beginning) = entry {
        guard !isOpen, beginning.plan == plan.digest, beginning.sitting == sitting, beginning.verifier == verifier.vkey else { throw .sitting(sitting) }
        guard !hasBegun || beginning.kind == kind && beginning.store == store else { throw .sitting(sitting) }
        (isOpen, hasBegun, kind, store) = (true, true, beginning.kind, beginning.store)
      } else {
        guard isOpen, !isComplete else { throw .sitting(sitting) }
        try follow(entry)
      }
      entries.append(Moment(time: record.time, entry: entry))
    }
    leaf = records.last?.leaf
  }

  /// Steps come one after the other, each done once.
  private mutating func follow(_ entry: TranscriptEntry) throws(TranscriptFault) {
    switch entry {
    case .step(let number, let kind):
      guard number == stepsDone + 1, number <= plan.steps.count, plan.steps[number - 1].kind.rawValue == kind else { throw .order(step: number) }
    case .stepDone(let number):
      guard number == stepsDone + 1, number <= plan.steps.count else { throw .order(step: number) }
      stepsDone = number
      expectation.finishStep()
    case .change(let change): expectation.announce(change)
    case .inventory(_, let digest): guard expectation.take(digest) else { throw .store }
    case .complete:
      guard stepsDone == plan.steps.count else { throw .order(step: stepsDone + 1) }
      isComplete = true
    case .began, .present, .answer, .fact, .readBack, .sheet, .entry, .output, .exception: break
    }
  }

  private static func verifier(_ sitting: Int, _ directory: CeremonyDirectory) throws(TranscriptFault) -> NoteVerifier? {
    let name = CeremonyDirectory.transcriptName(sitting) + "/" + CeremonyDirectory.verifierName
    let text: [UInt8]?
    do throws(StorageError) { text = try directory.readIfPresent(name, limit: 1024) } catch { throw .unreadable(error) }
    guard let text else { return nil }
    do throws(NoteError) {
      return try NoteVerifier(vkey: String(decoding: text, as: UTF8.self).split(separator: "\n").first ?? "")
    } catch { throw .sitting(sitting) }
  }

  private static func records(of log: LogDirectory, upTo head: TreeHead, _ sitting: Int) throws(TranscriptFault) -> [(Record, leaf: Digest256)] {
    var records: [(Record, leaf: Digest256)] = []
    do throws(AuditError) {
      try LogReader(log).forEachRecord { record, line in
        guard record.sequence < head.size else { return false }
        records.append((record, TreeHash.leaf(line)))
        return true
      }
    } catch { throw .log(sitting: sitting) }
    guard UInt64(records.count) == head.size else { throw .log(sitting: sitting) }
    return records
  }
}
