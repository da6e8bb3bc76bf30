import Audit
import Crypto
import Host
import Review

/// The end of a ceremony: its checkpoint, which people sign on machines of their own.
struct Signatures {
  private let note: CosignedCheckpoint
  private let plan: CeremonyPlan
  private let directory: CeremonyDirectory
  private let desk: any CeremonyDesk
  private let people: [Person]
  /// The folder of the checkpoint and the signatures, for a sitting that was stopped; nil for those
  /// of the whole ceremony.
  private let folder: String?

  /// - Parameter people: who is asked; by default everybody who has a key.
  init(
    _ note: CosignedCheckpoint, _ plan: CeremonyPlan, _ directory: CeremonyDirectory,
    _ desk: any CeremonyDesk, of people: [Person]? = nil,
    in folder: String? = nil
  ) {
    self.note = note
    self.plan = plan
    self.directory = directory
    self.desk = desk
    self.people = people ?? plan.people.all
    self.folder = folder
  }

  /// For a ceremony whose steps are all done; it may have stopped before its note was written.
  init(_ reading: TranscriptReading, _ directory: CeremonyDirectory, _ desk: any CeremonyDesk)
    throws(CeremonyError)
  {
    let found: CosignedCheckpoint?
    do throws(TranscriptFault) { found = try CeremonyVerdict.note(of: reading, directory) } catch {
      throw .transcript(error)
    }
    let note =
      if let found { found } else {
        try Transcript.writeNote(of: directory.transcript(reading.sittings), in: directory)
      }
    self.init(note, reading.plan, directory, desk)
  }

  /// Asks everybody who has a key and has not signed; they may also sign later.
  func collect() throws(CeremonyError) {
    try show(
      "\nCheckpoint  \(directory.path)/\(folder.map { $0 + "/" } ?? "")\(CeremonyDirectory.checkpointName)\n\(String(decoding: note.checkpoint.text, as: UTF8.self))"
    )
    // The log of an existing store goes on and needs no genesis.
    if folder == nil, plan.makesStore {
      try show("Genesis of the store's audit log (audit.genesis)  \(note.checkpoint.genesis.hex)\n")
    }
    var note = note
    let signed: [String]
    do throws(TranscriptFault) {
      signed = try CeremonyVerdict.signers(of: note, plan.people, directory, folder)
    } catch { throw .transcript(error) }
    for person in people where person.key != nil && !signed.contains(person.name) {
      try ask(person, &note)
    }
  }
}

extension Signatures {
  private func show(_ text: String) throws(CeremonyError) {
    try onDesk(desk.show(text))
  }

  private func ask(_ person: Person, _ note: inout CosignedCheckpoint) throws(CeremonyError) {
    while true {
      let path = try onDesk(
        desk.ask(
          "\(person.name): file with your signature over the checkpoint, or Return to sign later: ")
      )
      if path.isEmpty { return }
      if try take(path, of: person, &note) { return try show("  signed by \(person.name)\n") }
      try show("  that is not a true signature of \(person.name) over the checkpoint\n")
    }
  }

  /// Takes an SSH signature as a file of its own, and signature lines into the note.
  private func take(_ path: String, of person: Person, _ note: inout CosignedCheckpoint)
    throws(CeremonyError) -> Bool
  {
    guard
      let text = try? DurableFile.read(
        path, limit: CosignedCheckpoint.byteLimit, on: directory.disk)
    else { return false }
    switch person.key {
    case nil: return false
    case .ssh(let key):
      guard let signature = SSHSignature(armoured: text),
        signature.isTrue(of: note.checkpoint.text, by: key)
      else { return false }
      try onDisk(
        directory.write(CeremonyDirectory.signatureName(of: person.name), text, in: folder))
    case .cosigner(let key):
      guard let stamps = try? NoteStamp.all(in: text.span),
        let stamp = stamps.first(where: { key.time(of: $0, over: note.checkpoint) != nil })
      else {
        return false
      }
      note.add(stamp)
      let signed = note.note
      try onDisk(directory.write(CeremonyDirectory.noteName, signed, in: folder))
    }
    return true
  }
}
