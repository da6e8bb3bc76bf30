import Audit
import Host
import Service
import ServiceHarness
import TestSupport

extension World {
  func end(_ crash: SimulatedDisk.Crash) throws {
    disk = disk.afterCrash(crash)
    service = nil
    connections = nil
    timers.clear()
  }

  func unlock() throws -> Outcome {
    guard let service else { return .down }
    do { try service.unlock(kek: kek.bytes) } catch UnlockError.notLocked { return .nothing } catch
    { return .refused("\(error)") }
    return .done
  }

  func start() throws -> Outcome {
    guard service == nil else { return .nothing }
    kek = claimedKEK()
    do {
      let next = try scene.service(
        on: disk, grants: Self.grants(drawing: isDrawGranted), standInKeys: Self.standInKeys,
        segmentSize: Self.segmentSize,
        manifestLimit: Self.manifestLimit, adjust: Self.adjust(timers, on: host))
      try next.unlock(kek: kek.bytes)
      service = next
      connections = Connections(to: next.service)
    } catch {
      areHeldRecordedPerhaps = true
      try takeBack()
      return .refused("\(error)")
    }
    untouched = nil
    snapshots.append(try files())
    try checkRecords()
    return .done
  }

  /// Every record that was acknowledged is there, but for those in segments that were moved away.
  func checkRecords() throws {
    var first: UInt64?
    var found: [UInt64: String] = [:]
    var ceremonies: Set<String> = []
    for record in try service?.records() ?? [] {
      first = first ?? record.sequence
      found[record.sequence] = record.operation
      if let name = record.eventText("ceremony") { ceremonies.insert(name) }
    }
    for (sequence, operation) in acknowledged where sequence >= first ?? 0 {
      guard found[sequence] == operation else {
        throw Surprise("record \(sequence) of \(operation) is \(found[sequence] ?? "gone")")
      }
    }
    if let missing = held.first(where: { !ceremonies.contains($0) }) {
      throw Surprise("\(missing) is not on the record")
    }
    held = []
    areHeldRecordedPerhaps = false
  }
}
