import Audit
package import Crypto
import Host
import KeyStore
import Review

/// What `kist ceremony verify` finds in a ceremony's directory, without the store and without a
/// daemon.
package struct CeremonyVerdict: Sendable {
  package let reading: TranscriptReading
  /// Everybody with a valid signature over the final checkpoint, in the plan's order.
  package let signers: [String]
  /// For each sitting that was stopped, who signed its checkpoint.
  package let stops: [Int: [String]]
  /// The genesis value of the store's audit log, from the final checkpoint.
  package let genesis: Digest256?

  package enum Outcome: Sendable {
    /// All steps are done, and enough witnesses have signed.
    case complete
    /// All steps of a rehearsal are done; signatures are not required.
    case rehearsed
    /// All steps are done; witnesses are missing.
    case unwitnessed
    /// It was stopped.
    case partial
  }

  /// - Throws: `TranscriptFault` for anything that does not hold.
  package init(_ directory: CeremonyDirectory) throws(TranscriptFault) {
    let reading = try TranscriptReading(directory)
    self.reading = reading
    try reading.check()
    try Self.checkOutputs(reading, directory)
    var stops: [Int: [String]] = [:]
    for sitting in 1...reading.sittings {
      guard let note = try Self.note(of: reading, stopped: sitting, directory) else { continue }
      stops[sitting] = try Self.signers(
        of: note, reading.plan.people, directory, CeremonyDirectory.transcriptName(sitting))
    }
    self.stops = stops
    guard reading.isComplete, let note = try Self.note(of: reading, directory) else {
      signers = []
      genesis = nil
      return
    }
    genesis = note.checkpoint.genesis
    signers = try Self.signers(of: note, reading.plan.people, directory)
  }

  package var outcome: Outcome {
    guard genesis != nil else { return .partial }
    if reading.kind == .rehearsal { return .rehearsed }
    // The signature of a witness who was absent does not count.
    let witnesses = Set(reading.plan.people.witnesses.map(\.name)).intersection(reading.presentLast)
    return signers.count(where: witnesses.contains) >= reading.plan.quorum
      ? .complete : .unwitnessed
  }
}

extension CeremonyVerdict {
  private static func checkOutputs(_ reading: TranscriptReading, _ directory: CeremonyDirectory)
    throws(TranscriptFault)
  {
    let written = reading.outputs
    for (name, digest) in written {
      let path = CeremonyDirectory.outputsName + "/" + name
      let contents = try unreadable(
        directory.readIfPresent(path, limit: CeremonyDirectory.fileLimit))
      guard let contents, SHA256.hash(contents) == digest else { throw .output(name) }
    }
    let names = try unreadable(directory.outputs())
    // The step that is not done may have written a file that is not on the record yet.
    let unfinished = Set(
      reading.plan.steps.dropFirst(reading.stepsDone).prefix(1).flatMap(\.outputs).map {
        CeremonyDirectory.outputName($0, reading.kind)
      })
    for name in names
    where written[name] == nil && !unfinished.contains(name) && !DurableFile.isTemporary(name) {
      throw .stranger(name)
    }
  }

  /// The final note, which must be of this transcript; nil if the ceremony stopped before it was
  /// written.
  ///
  /// - Parameter stopped: the stopped sitting whose own note is wanted.
  static func note(
    of reading: TranscriptReading, stopped: Int? = nil, _ directory: CeremonyDirectory
  ) throws(TranscriptFault) -> CosignedCheckpoint? {
    let folder = stopped.map(CeremonyDirectory.transcriptName)
    let text = try unreadable(
      directory.readIfPresent(
        CeremonyDirectory.noteName, in: folder, limit: CosignedCheckpoint.byteLimit))
    guard let text, let end = reading.ends[stopped ?? reading.sittings] else { return nil }
    do throws(NoteError) {
      let note = try CosignedCheckpoint(parsing: text.span)
      guard try note.head(signedBy: end.verifier) == end.head else { throw .signature }
      return note
    } catch { throw .note }
  }

  static func signers(
    of note: CosignedCheckpoint, _ people: People, _ directory: CeremonyDirectory,
    _ folder: String? = nil
  ) throws(TranscriptFault) -> [String] {
    var signers: [String] = []
    for person in people.all where try hasSigned(person, note, directory, folder) {
      signers.append(person.name)
    }
    return signers
  }

  private static func hasSigned(
    _ person: Person, _ note: CosignedCheckpoint, _ directory: CeremonyDirectory, _ folder: String?
  ) throws(TranscriptFault) -> Bool {
    switch person.key {
    case nil: return false
    case .cosigner(let key):
      do throws(NoteError) { return try key.time(of: note) != nil } catch { throw .signature }
    case .ssh(let key):
      let name = CeremonyDirectory.signatureName(of: person.name)
      let text = try unreadable(
        directory.readIfPresent(name, in: folder, limit: SSHSignature.byteLimit))
      guard let text else { return false }
      guard let signature = SSHSignature(armoured: text),
        signature.isTrue(of: note.checkpoint.text, by: key)
      else { throw .signature }
      return true
    }
  }

  private static func unreadable<R>(_ body: @autoclosure () throws(StorageError) -> R)
    throws(TranscriptFault)
    -> R
  {
    do throws(StorageError) { return try body() } catch { throw .unreadable(error) }
  }
}
