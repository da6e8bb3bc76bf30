internal import Audit
package import CryptoBackend
internal import Evidence
internal import Storage

/// What `kist ceremony verify` finds in a ceremony's directory, without the store and without a daemon.
package struct CeremonyVerdict: Sendable {
  package let reading: TranscriptReading
  /// Everybody whose true signature over the final checkpoint is there, in the plan's order.
  package let signers: [String]
  /// Of the final checkpoint: what the store's audit log begins with.
  package let genesis: Digest256?

  package enum Standing: Sendable {
    /// All steps are done, and enough witnesses have signed.
    case complete
    /// All steps are done; witnesses are missing.
    case unwitnessed
    /// It was stopped.
    case partial
  }

  /// - Throws: `TranscriptFault` for whatever is not true.
  package init(_ directory: CeremonyDirectory) throws(TranscriptFault) {
    let reading = try TranscriptReading(directory)
    self.reading = reading
    try Self.checkReadBacks(reading)
    try Self.checkOutputs(reading, directory)
    guard reading.isComplete, let note = try Self.note(of: reading, directory) else {
      (signers, genesis) = ([], nil)
      return
    }
    genesis = note.checkpoint.genesis
    signers = try Self.signers(of: note, reading.plan.people, directory)
  }

  package var standing: Standing {
    guard genesis != nil else { return .partial }
    let witnesses = Set(reading.plan.people.witnesses.map(\.name))
    return signers.count(where: witnesses.contains) >= reading.plan.quorum ? .complete : .unwitnessed
  }
}

extension CeremonyVerdict {
  /// Every value that was typed back is the program's, every sheet was entered again, and no step is done without those it needs.
  private static func checkReadBacks(_ reading: TranscriptReading) throws(TranscriptFault) {
    var facts: [String: String] = [:]
    var readBack: Set<String> = []
    var sheets: [String: String] = [:]
    for moment in reading.entries {
      switch moment.entry {
      case .fact(let subject, let value): facts[subject] = value
      case .readBack(_, let subject, let value):
        guard facts[subject] == value else { throw .readBack }
        readBack.insert(subject)
      case .sheet(let person, let subject, let value): sheets[person + " " + subject] = value
      case .entry(let person, let subject, let value):
        guard let sheet = sheets.removeValue(forKey: person + " " + subject) else { break }
        guard sheet == value else { throw .readBack }
      // An attempt that was cut off counts for nothing.
      case .step: (facts, sheets) = ([:], [:])
      case .stepDone(let number):
        guard sheets.isEmpty, readBack.isSuperset(of: reading.plan.steps[number - 1].action.readBacks.map(\.subject)) else { throw .readBack }
      case .began, .present, .answer, .output, .exception, .change, .inventory, .complete: break
      }
    }
  }

  private static func checkOutputs(_ reading: TranscriptReading, _ directory: CeremonyDirectory) throws(TranscriptFault) {
    let written = reading.outputs
    for (name, digest) in written {
      let path = CeremonyDirectory.outputsName + "/" + name
      let contents = try unreadable { () throws(StorageError) in try directory.readIfPresent(path, limit: CeremonyDirectory.fileLimit) }
      guard let contents, SHA256.hash(contents) == digest else { throw .output }
    }
    for step in reading.plan.steps.prefix(reading.stepsDone) {
      guard step.action.outputs.allSatisfy({ written[CeremonyDirectory.outputName($0, reading.kind)] != nil }) else { throw .output }
    }
  }

  /// The final note, which must be of this transcript; nil where it was not written any more.
  static func note(of reading: TranscriptReading, _ directory: CeremonyDirectory) throws(TranscriptFault) -> CosignedCheckpoint? {
    let text = try unreadable { () throws(StorageError) in
      try directory.readIfPresent(CeremonyDirectory.noteName, limit: CosignedCheckpoint.byteLimit)
    }
    guard let text, let last = reading.last else { return nil }
    do throws(NoteError) {
      let note = try CosignedCheckpoint(parsing: text.span)
      guard try note.head(signedBy: last.verifier) == last.head else { throw .signature }
      return note
    } catch { throw .note }
  }

  static func signers(of note: CosignedCheckpoint, _ people: People, _ directory: CeremonyDirectory) throws(TranscriptFault) -> [String] {
    var signers: [String] = []
    for person in people.all where try hasSigned(person, note, directory) { signers.append(person.name) }
    return signers
  }

  private static func hasSigned(_ person: Person, _ note: CosignedCheckpoint, _ directory: CeremonyDirectory) throws(TranscriptFault) -> Bool {
    switch person.key {
    case nil: return false
    case .cosigner(let key):
      do throws(NoteError) { return try key.time(of: note) != nil } catch { throw .signature }
    case .ssh(let key):
      let name = CeremonyDirectory.signatureName(of: person.name)
      let text = try unreadable { () throws(StorageError) in try directory.readIfPresent(name, limit: SSHSignature.byteLimit) }
      guard let text else { return false }
      guard let signature = SSHSignature(armoured: text), signature.isTrue(of: note.checkpoint.text, by: key) else { throw .signature }
      return true
    }
  }

  private static func unreadable<R>(_ body: () throws(StorageError) -> R) throws(TranscriptFault) -> R {
    do throws(StorageError) { return try body() } catch { throw .unreadable(error) }
  }
}
