import Audit
import Configuration
package import Crypto
package import Format
import Host
package import KeyStore
import Review

/// What the transcripts of a ceremony say, after every record, link and signature of the program
/// was checked.
package struct TranscriptReading: Sendable {
  package let plan: CeremonyPlan
  /// What the first sitting began with.
  package private(set) var kind = StoreKind.production
  package private(set) var store = ""
  package private(set) var hasBegun = false
  /// How many sittings have directories; all but the one that did the last step were interrupted.
  package private(set) var sittings = 0
  package private(set) var entries: [Moment] = []
  /// The sittings that have records, without the record that they were stopped.
  private(set) var begun: [Sitting] = []
  /// What people have on paper.
  package private(set) var paper = PaperTrail()
  /// What the store must hold now.
  private(set) var expectation = StoreExpectation()
  /// How many steps are done, from the first on without a gap.
  package private(set) var stepsDone = 0
  package private(set) var isComplete = false
  /// For each sitting, the tree head of its last checkpoint, and the key that signed it.
  private(set) var ends: [Int: (head: TreeHead, verifier: NoteVerifier)] = [:]
  /// The leaf hash that a further sitting's first record names as the one before it.
  private(set) var leaf: Digest256?

  struct Sitting {
    let number: Int
    /// What the sitting before left on paper.
    let paper: PaperTrail
    fileprivate(set) var entries: [TranscriptEntry] = []
  }

  package struct Moment: Sendable {
    package let time: Timestamp
    package let entry: TranscriptEntry
  }

  /// - Throws: `TranscriptFault`.
  package init(_ directory: CeremonyDirectory) throws(TranscriptFault) {
    let text: [UInt8]
    do throws(StorageError) {
      text = try directory.read(CeremonyDirectory.planName, limit: CeremonyDirectory.fileLimit)
    } catch { throw .unreadable(error) }
    do throws(ConfigurationError) {
      plan = try CeremonyPlan.decode(text, file: CeremonyDirectory.planName)
    } catch { throw .plan }
    do throws(DiskError) { sittings = try directory.sittings() } catch {
      throw .unreadable(.disk(error))
    }
    guard sittings > 0 else { throw .sitting(1) }
    for sitting in 1...sittings { try read(sitting, directory) }
  }

  /// Checks that the records are those that the plan requires.
  ///
  /// - Throws: `TranscriptFault.record`, `.store`.
  package func check() throws(TranscriptFault) { try TranscriptCheck(self).run() }

  /// A record of a sitting, and the root over all of its log's records up to it.
  package typealias Row = (moment: Moment, root: Digest256)

  /// Reads the rows of each sitting, whose logs were already checked.
  package init(_ plan: CeremonyPlan, _ rows: [[Row]]) throws(TranscriptFault) {
    self.plan = plan
    sittings = rows.count
    for (index, rows) in rows.enumerated() { try take(rows, index + 1, nil) }
  }

  /// A sheet that somebody was shown alone.
  struct Sheet {
    let person, title, fingerprint: String
  }

  /// What the unfinished step left.
  private var unfinished: ArraySlice<Moment> {
    let last = entries.lastIndex { if case .stepDone = $0.entry { true } else { false } }
    return entries[(last.map { $0 + 1 } ?? 0)...]
  }

  var unfinishedSheets: [Sheet] {
    unfinished.compactMap {
      if case .sheet(let person, let title, let value) = $0.entry {
        Sheet(person: person, title: title, fingerprint: value)
      } else {
        nil
      }
    }
  }

  /// The change that the unfinished step announced last.
  var unfinishedChange: StoreChange? {
    unfinished.compactMap { if case .change(let change) = $0.entry { change } else { nil } }.last
  }

  package var interrupted: Int { sittings - (isComplete ? 1 : 0) }

  /// The deviations from the plan.
  package var exceptions: [Moment] {
    entries.filter { moment in
      switch moment.entry {
      case .exception, .absent: true
      case .began, .present, .step, .stepDone, .answer, .fact, .readBack, .sheet, .entry, .output,
        .change, .inventory, .shown, .complete:
        false
      }
    }
  }

  /// Who was present in the last sitting.
  var presentLast: Set<String> {
    Set(
      (begun.last?.entries ?? []).compactMap {
        if case .present(let person) = $0 { person } else { nil }
      })
  }

  /// The digest of each output as it was last written.
  package var outputs: [String: Digest256] {
    entries.reduce(into: [:]) {
      if case .output(let name, let digest) = $1.entry { $0[name] = digest }
    }
  }
}

extension TranscriptReading {
  private mutating func read(_ sitting: Int, _ directory: CeremonyDirectory) throws(TranscriptFault)
  {
    guard let verifier = try Self.verifier(sitting, directory) else { return }
    let log = directory.transcript(sitting)
    let found = LogVerifier(verifier, signatures: .every).verify(log)
    switch found.verdict {
    case .good, .torn, .unreadable(nil): break
    case .truncated, .tampered, .uncompared, .unreadable: throw .log(sitting: sitting)
    }
    // A sitting that was interrupted before its first record says nothing.
    guard let head = found.head else { return }
    let records = try Self.records(of: log, upTo: head, sitting)
    guard let first = records.first,
      first.0.previous == (leaf ?? Digest256(hex: String(repeating: "0", count: 64)))
    else { throw .sitting(sitting) }
    var tree = Frontier()
    var rows: [Row] = []
    for (record, leaf) in records {
      tree.append(leaf)
      if let entry = try TranscriptEntry(record) {
        rows.append((Moment(time: record.time, entry: entry), tree.root))
      }
    }
    try take(rows, sitting, verifier)
    leaf = records.last?.leaf
    ends[sitting] = (head, verifier)
  }

  /// - Parameter verifier: the verifier of the sitting's log; nil to skip that comparison.
  private mutating func take(_ rows: [Row], _ number: Int, _ verifier: NoteVerifier?)
    throws(TranscriptFault)
  {
    var sitting = Sitting(number: number, paper: paper)
    var isOpen = false
    for (moment, root) in rows {
      if case .began(let beginning) = moment.entry {
        guard !isOpen, beginning.plan == plan.digest, beginning.sitting == number,
          beginning.verifier == verifier?.vkey ?? beginning.verifier
        else {
          throw .sitting(number)
        }
        guard !hasBegun || beginning.kind == kind && beginning.store == store else {
          throw .sitting(number)
        }
        isOpen = true
        hasBegun = true
        kind = beginning.kind
        store = beginning.store
      } else {
        guard isOpen, !isComplete else { throw .sitting(number) }
        try follow(moment.entry)
        sitting.entries.append(moment.entry)
      }
      entries.append(moment)
      paper.add(moment.entry, root, sitting: number)
    }
    // Any sitting may end with a stop.
    if sitting.entries.last == .shown(.stop) { sitting.entries.removeLast() }
    if isOpen { begun.append(sitting) }
  }

  /// Steps come one after the other, each done once.
  private mutating func follow(_ entry: TranscriptEntry) throws(TranscriptFault) {
    switch entry {
    case .step(let number, let kind):
      guard number == stepsDone + 1, number <= plan.steps.count,
        type(of: plan.steps[number - 1]).kind == kind
      else { throw .order(step: number) }
    case .stepDone(let number):
      guard number == stepsDone + 1, number <= plan.steps.count else { throw .order(step: number) }
      stepsDone = number
      expectation.finishStep()
    case .change(let change): expectation.announce(change)
    // `check` reports if this is neither what was there nor what was announced, or which record is
    // missing before it.
    case .inventory(let digest): _ = expectation.take(digest)
    case .complete:
      guard stepsDone == plan.steps.count else { throw .order(step: stepsDone + 1) }
      isComplete = true
    case .began, .present, .absent, .answer, .fact, .readBack, .sheet, .entry, .output, .exception,
      .shown:
      break
    }
  }

  private static func verifier(_ sitting: Int, _ directory: CeremonyDirectory)
    throws(TranscriptFault) -> NoteVerifier?
  {
    let name = CeremonyDirectory.transcriptName(sitting) + "/" + CeremonyDirectory.verifierName
    let text: [UInt8]?
    do throws(StorageError) { text = try directory.readIfPresent(name, limit: 1024) } catch {
      throw .unreadable(error)
    }
    guard let text else { return nil }
    do throws(NoteError) {
      return try NoteVerifier(vkey: String(decoding: text, as: UTF8.self).lines().first ?? "")
    } catch { throw .sitting(sitting) }
  }

  private static func records(of log: LogDirectory, upTo head: TreeHead, _ sitting: Int)
    throws(TranscriptFault) -> [(Record, leaf: Digest256)]
  {
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
