// Ceremony: key ceremonies before witnesses: plan, steps, transcript and its verification.
// It works on a key store offline, with people who read and type.
// The daemon must not link it.
// Called by kist; Sandbox and Doctor use its `StoreCare`.

import Audit
import Crypto
import Host
import KeyStore
import Review

/// One sitting of a ceremony, from the roll call to the last signature or to the place where it
/// stops.
package struct CeremonyRun {
  private let plan: CeremonyPlan
  private let kind: StoreKind
  private let place: StorePlace
  private let directory: CeremonyDirectory
  private let desk: any CeremonyDesk
  private let host: CeremonyHost
  private let sitting: Int
  private let stepsDone: Int
  private let genesis: Digest256?
  private let before: TranscriptReading?

  /// The first sitting: checks that nothing is in the way, and makes the directory.
  ///
  /// - Parameter rehearsal: where the rehearsal's store is, or will be; nil for a real ceremony.
  package static func begin(
    _ plan: CeremonyPlan, rehearsal: StorePlace?, in directory: CeremonyDirectory,
    _ desk: any CeremonyDesk, _ host: CeremonyHost
  ) throws(CeremonyError) {
    let run = CeremonyRun(
      plan, rehearsal == nil ? .production : .rehearsal, rehearsal ?? plan.store, directory, desk,
      host, nil)
    try run.checkStore()
    try run.makeDirectory()
    try directory.checkOwner(host)
    try run.perform()
  }

  /// A further sitting, from the first step that is not done; if all steps are done, it only takes
  /// the missing signatures.
  package static func resume(
    _ directory: CeremonyDirectory, _ desk: any CeremonyDesk, _ host: CeremonyHost
  ) throws(CeremonyError) {
    try directory.checkOwner(host)
    let reading: TranscriptReading
    do throws(TranscriptFault) {
      reading = try TranscriptReading(directory)
      try reading.check()
    } catch { throw .transcript(error) }
    guard !reading.isComplete else { return try Signatures(reading, directory, desk).collect() }
    guard reading.hasBegun, let place = StorePlace(reading.store) else {
      throw .transcript(.sitting(1))
    }
    let run = CeremonyRun(reading.plan, reading.kind, place, directory, desk, host, reading)
    try run.checkOwner()
    try run.perform()
  }

  private init(
    _ plan: CeremonyPlan, _ kind: StoreKind, _ place: StorePlace, _ directory: CeremonyDirectory,
    _ desk: any CeremonyDesk, _ host: CeremonyHost,
    _ reading: TranscriptReading?
  ) {
    self.plan = plan
    self.kind = kind
    self.place = place
    self.directory = directory
    self.desk = desk
    self.host = host
    sitting = (reading?.sittings ?? 0) + 1
    stepsDone = reading?.stepsDone ?? 0
    genesis = reading?.leaf
    before = reading
  }
}

extension CeremonyRun {
  private func hasStore() throws(CeremonyError) -> Bool {
    do throws(KeyStoreError) {
      _ = try LockedKeyStore.open(place.path, on: directory.disk)
      return true
    } catch {
      guard error == .absent else { throw .keyStore(error) }
      return false
    }
  }

  private func acceptsPassphrase() throws(CeremonyError) -> Bool {
    try onStore(LockedKeyStore.open(place.path, on: directory.disk).acceptsPassphrase)
  }

  /// The daemon must be able to use what is written to the store, and runs as the store's owner.
  private func checkOwner() throws(CeremonyError) {
    let path = try hasStore() ? place.path : place.parent
    guard kind == .rehearsal || host.isOwn(path) else { throw .refused(.otherOwner(path)) }
  }

  private func checkStore() throws(CeremonyError) {
    guard try hasStore() != plan.beginsWithoutStore else {
      throw .refused(plan.beginsWithoutStore ? .storePresent : .storeAbsent)
    }
    try checkOwner()
    // Before anybody sits down: nothing may change before a daemon has opened it.
    let isUnopened = try onStore(StoreDirectory.exists(place.path, .restored, on: directory.disk))
    guard plan.beginsWithoutStore || !isUnopened else { throw .keyStore(.restoredUnopened) }
  }

  private func makeDirectory() throws(CeremonyError) {
    let disk = directory.disk
    do throws(DiskError) {
      try disk.makeDirectory(directory.path, mode: 0o700)
    } catch {
      guard error.isPresence else { throw .storage(.disk(error)) }
      guard try clearUnbegun() else { throw .refused(.directoryPresent) }
    }
    try onDisk(disk.syncDirectory(directory.parent))
    try onDisk(
      DurableFile.makeDirectory(CeremonyDirectory.outputsName, in: directory.path, on: disk))
    try onDisk(directory.write(CeremonyDirectory.planName, plan.text))
  }

  /// Takes away what an attempt left that was cut off before its first record: nobody saw anything
  /// of it. False if there is more.
  private func clearUnbegun() throws(CeremonyError) -> Bool {
    let disk = directory.disk
    let log = directory.transcript(1)
    let names = try onDisk(disk.list(directory.path))
    let own = [
      CeremonyDirectory.outputsName, CeremonyDirectory.planName,
      CeremonyDirectory.transcriptName(1),
    ]
    guard names.allSatisfy({ own.contains($0) || DurableFile.isTemporary($0) }),
      try onStorage(directory.outputs()).isEmpty
    else { return false }
    guard names.contains(own[2]) else { return true }
    // The log's own record of its start comes before the ceremony's.
    let covered = { () -> UInt64 in
      (try? LogReader(log).newestCheckpoint())?.checkpoint.head.size ?? 0
    }
    guard !((try? TranscriptReading(directory))?.hasBegun ?? (covered() > 1)) else { return false }
    for name in try onDisk(disk.list(log.path)) {
      try onDisk(DurableFile.remove(log.path + "/" + name, on: disk))
    }
    return true
  }

  private func perform() throws(CeremonyError) {
    let transcript = try Transcript(
      sitting: sitting, of: plan, kind: kind, store: place, genesis: genesis, in: directory, host)
    let room = CeremonyRoom(
      plan, kind: kind, place: place, directory: directory, sitting: sitting,
      expectation: before?.expectation ?? StoreExpectation(), desk: desk,
      transcript: transcript, clock: host.clock)
    do throws(CeremonyError) { try hold(room) } catch {
      // The reason for the stop is what is reported, even if no further checkpoint can be written.
      do throws(CeremonyError) { try stop(room, transcript, error) } catch {
        try? desk.show("\nNo further checkpoint can be written: the newest one on paper holds.\n")
      }
      throw error
    }
    let note = try transcript.close()
    room.store = nil
    try Signatures(note, plan, directory, desk).collect()
  }

  private func hold(_ room: CeremonyRoom) throws(CeremonyError) {
    try Opening(room, host, stepsDone: stepsDone, before?.paper ?? PaperTrail()).hold()
    if let before {
      try reopen(room)
      try tellWorthlessSheets(before, room)
    }
    for (index, step) in plan.steps.enumerated().dropFirst(stepsDone) {
      try take(step, index + 1, room)
    }
    try room.record(.complete)
    try room.tell("\nAll steps are done.")
  }

  /// Shows the checkpoint of a ceremony that stops here, and takes the signatures of the witnesses
  /// who are there, unless they were interrupted.
  private func stop(_ room: CeremonyRoom, _ transcript: Transcript, _ error: CeremonyError)
    throws(CeremonyError)
  {
    guard !error.leavesNobody else { return }
    try room.showCheckpoint(.stop)
    let note = try transcript.closeUnfinished()
    room.store = nil
    let there = error == .desk(.interrupted) ? [] : plan.people.witnesses.filter(room.isPresent)
    try Signatures(
      note, plan, directory, desk, of: there, in: CeremonyDirectory.transcriptName(sitting)
    ).collect()
  }

  /// Says which sheets of an interrupted step are worthless: all of them, unless the store was made
  /// under them.
  private func tellWorthlessSheets(_ before: TranscriptReading, _ room: CeremonyRoom)
    throws(CeremonyError)
  {
    let kept = room.isChangeMade ? before.unfinishedChange?.value ?? "" : ""
    let worthless = before.unfinishedSheets.filter { !kept.contains($0.fingerprint) }
    guard !worthless.isEmpty else { return }
    let sheets = worthless.map { "\($0.title) of \($0.person), fingerprint \($0.fingerprint)" }
      .joined(separator: "; ")
    try room.tell("\nThese sheets are WORTHLESS, and are destroyed before the witnesses: " + sheets)
    try room.note(
      plan.people.administrator, "worthless sheets of the attempt that was cut off: " + sheets)
  }

  /// Does a step. If it was interrupted after it had changed the store, only reads back what it
  /// made, and does the rest.
  private func take(_ step: any CeremonyStep, _ number: Int, _ room: CeremonyRoom)
    throws(CeremonyError)
  {
    try room.tell("\nStep \(number) of \(plan.steps.count): \(type(of: step).kind)")
    for line in step.script { try room.tell("  - " + line) }
    try room.begin(number, type(of: step).kind)
    if room.isChangeMade {
      try room.tell("  that was done when the last sitting ended; what it made is read back again")
      for check in step.readBacks { try room.readBack(check) }
    } else {
      try step.run(room)
    }
    try step.finish(room)
    try room.finish(step: number)
  }

  /// Opens the store that was open when the last sitting ended.
  private func reopen(_ room: CeremonyRoom) throws(CeremonyError) {
    guard plan.beginsWithoutStore || stepsDone > 0, try hasStore() else { return }
    // By its record, this ceremony did not make the store.
    guard let before, before.expectation.hasStore else { throw .refused(.storePresent) }
    try room.tell("\nThe store is opened again.")
    // A passphrase is no longer valid once its KEK was replaced.
    if let step = plan.steps.first?.opening, step.means == .passphrase, try acceptsPassphrase() {
      return try step.run(room)
    }
    try UnlockStep(with: .shares).run(room)
  }
}
