import Audit
import Ceremony
import Crypto
import Format
import Host
import KeyStore
import Operations
import Review
import ServiceHarness
import TestSupport

extension World {
  func files() throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for name in try disk.list("/state/keys") where name != "lock" {
      found["/state/keys/" + name] = disk.contents("/state/keys/" + name)
    }
    for name in Self.stateFiles { found["/state/" + name] = disk.contents("/state/" + name) }
    return found
  }

  /// The names and bytes of all files, one after the other.
  func everyFile() throws -> [UInt8] {
    try ["/state", "/state/keys", "/audit"].flatMap { directory in
      try disk.list(directory).sorted().flatMap { name in
        Array(name.utf8) + (disk.contents("\(directory)/\(name)") ?? [])
      }
    }
  }

  func put(_ wanted: [String: [UInt8]], only isPart: (String) -> Bool = { _ in true }) throws {
    for path in try files().keys where isPart(path) && wanted[path] == nil { disk.unplant(path) }
    for (path, bytes) in wanted where isPart(path) { disk.plant(path, bytes) }
  }

  /// Undoes what was tampered with, and takes a fault away, as a person does after a start was
  /// refused.
  func takeBack() throws {
    disk = disk.afterCrash(.losesUnsynced)
    do { _ = try disk.list("/state/keys") } catch {
      try disk.makeDirectory("/state/keys", mode: 0o700)
    }
    if let untouched {
      try put(untouched)
      held = []
    }
    untouched = nil
  }

  func tamper(_ body: () throws -> Void) throws -> Outcome {
    if untouched == nil { untouched = try files() }
    try body()
    return .done
  }

  func putBack(_ piece: Act.Piece, _ number: Int) throws -> Outcome {
    guard service == nil else { return .nothing }
    let old = snapshots[number % snapshots.count]
    if piece == .store { held = [] }
    return try tamper { try put(old, only: piece.contains) }
  }

  func remove(_ piece: Act.Piece) throws -> Outcome {
    guard service == nil, piece != .store else { return .nothing }
    return try tamper {
      for path in try files().keys where piece.contains(path) { disk.unplant(path) }
    }
  }

  /// As `kist restore` does: with what was compressed of the log expanded again, from the first
  /// record that the copy needs.
  func restore(_ number: Int) throws -> Outcome {
    guard service == nil, let backup = backups[around: number],
      let digest = Digest256(backup.digest)
    else { return .nothing }
    do {
      held = []
      for path in try disk.list("/audit").map({ "/audit/" + $0 }) where path.hasSuffix(".zst") {
        disk.plant(String(path.dropLast(4)), disk.contents(path) ?? [])
      }
      return try tamper {
        for name in try disk.list("/state/keys") { disk.unplant("/state/keys/" + name) }
        disk.unplant("/state/keys")
        try StoreCopy("/state/" + backup.name, on: disk).restore(
          to: "keys", in: "/state", digest: digest, at: scene.clock.now)
      }
    } catch {
      // The disk failed: the lost store is put back.
      try takeBack()
      return .refused("\(error)")
    }
  }

  /// Nothing of the old host is left but its backups.
  func move(_ number: Int) throws -> Outcome {
    guard service == nil, !backups.isEmpty else { return .nothing }
    let backup = backups[number % backups.count]
    guard let digest = Digest256(backup.digest) else { return .nothing }
    let next = SimulatedDisk()
    segmentsSeen = [:]
    for path in ["/state", "/audit", "/state/" + backup.name] {
      try next.makeDirectory(path, mode: 0o700)
    }
    for name in try disk.list("/state/" + backup.name) {
      next.plant(
        "/state/\(backup.name)/\(name)", disk.contents("/state/\(backup.name)/\(name)") ?? [])
    }
    for path in ["/", "/state"] { try next.syncDirectory(path) }
    try StoreCopy("/state/" + backup.name, on: next).restore(
      to: "keys", in: "/state", digest: digest, at: scene.clock.now)
    disk = next
    backups = [backup]
    host = (host.number + 1, digest)
    acknowledged = [:]
    held = []
    areHeldRecordedPerhaps = false
    untouched = nil
    checkpoints = []
    snapshots = [try files()]
    return .done
  }

  /// Takes what is older than anything that a start reads back, as `kist audit prune` and
  /// `compress` do (AUD-OPEN-7).
  func retain(_ act: (Retention, Retention.Pruning) throws -> Void) throws -> Outcome {
    guard let verifier = try verifier else { return .nothing }
    let remembered = max(4 * Model.window, Model.envelopeLifetime + 900, Model.retryWindow)
    // What its own quotas need, and no more: somebody may have done so before there were any.
    let needed = Timestamp(
      seconds: min(clock - remembered, isDrawGranted ? Model.day(clock) * 86_400 : clock))
    do {
      let compressed = expand()
      defer { compress(compressed) }
      let now = Timestamp(seconds: clock)
      let log = Retention(
        LogDirectory("/audit", on: disk), verifier, kept: try comparable(verifier))
      let pruning = try log.expired(before: needed, at: now)
      if let pruning { try act(log, pruning) }
      // The clock is at most days off now: what was complete a month ago is as old as that. One
      // that a failing disk left empty completes nothing. By one that began while the clock was
      // years ahead nobody can tell how old those before it are.
      let directory = LogDirectory("/audit", on: disk)
      let begun = try directory.segments().filter { name in
        try LogReader(directory).beginning(of: name).map {
          $0.time < now.adding(seconds: 366 * 86_400)
        } ?? false
      }.map(\.text).filter { !compressed.contains($0) }
      // The one before the newest stays until that has a second batch.
      let isKept = begun.dropFirst().dropLast().contains {
        segmentsSeen[$0, default: time] < time - 2_592_000
      }
      return isKept ? .said("old segments stay") : pruning == nil ? .nothing : .done
    } catch { return .refused("\(error)") }
  }

  /// The plain ones, the oldest first.
  func segments() throws -> [String] {
    let names = try disk.list("/audit").filter { $0.hasSuffix(".log") }.sorted()
    // One that a failing disk left empty begins with its first record, which may come much later.
    for name in names
    where segmentsSeen[name] == nil && disk.contents("/audit/" + name)?.first ?? 0 != 0 {
      segmentsSeen[name] = time
    }
    return names
  }

  /// Puts plain segments in the place of compressed ones, as those who prune see them, and returns
  /// their names.
  private func expand() -> [String] {
    var expanded: [String] = []
    for path in ((try? disk.list("/audit")) ?? []).map({ "/audit/" + $0 })
    where path.hasSuffix(".zst") {
      let plain = String(path.dropLast(4))
      let bytes = disk.contents(path) ?? []
      if disk.contents(plain) == nil {
        disk.plant(plain, bytes)
        expanded.append(String(plain.dropFirst(7)))
      }
      disk.unplant(path)
    }
    return expanded
  }

  /// A compressed segment is as good as none to kistd.
  func compress(_ segments: [String]) {
    for path in segments.map({ "/audit/" + $0 }) {
      guard let bytes = disk.contents(path) else { continue }
      disk.plant(path + ".zst", bytes)
      disk.unplant(path)
    }
  }

  func loseSegment() throws -> Outcome {
    let segments = try segments()
    guard segments.count > 1 else { return .nothing }
    if areHeldRecordedPerhaps { held = [] }
    // What was compressed before may be expanded again, but this is gone.
    if let next = UInt64(segments[1].dropLast(4)) {
      acknowledged = acknowledged.filter { $0.key >= next }
    }
    disk.unplant("/audit/" + segments[0])
    return .done
  }
}

extension Act.Piece {
  fileprivate func contains(_ path: String) -> Bool {
    switch self {
    case .counters: path.hasSuffix(".ctr")
    case .ledgers: path.hasSuffix(".otp")
    case .recollection: path.hasSuffix(".recollection")
    case .checkpoint: path.hasSuffix(".checkpoint")
    case .store: path.hasPrefix("/state/keys/")
    }
  }
}
