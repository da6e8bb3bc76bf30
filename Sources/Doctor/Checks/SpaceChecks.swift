internal import Configuration

/// Whether the disks have room.
let spaceChecks: [CheckUp.Check] = [checkSpace]

@Sendable private func checkSpace(_ host: Host) -> [Finding] {
  guard let configuration = host.configuration else { return [] }
  let (audit, state) = (configuration.audit, configuration.stateDirectory)
  let backups = configuration.backup.directory.map { [($0, "the backups", 0)] } ?? []
  return ([(audit.directory, "the audit log", audit.reserve), (state, "the key store", 0)] + backups).compactMap { path, what, reserve in
    guard let free = host.surroundings.freeBytes(host.surroundings.root + path), free < audit.lowSpace else { return nil }
    let cause = "The disk of \(what) has \(free >> 20) MiB left"
    if free <= reserve + leastSpace {
      return Finding(
        .diskFull, path, "\(cause), so nothing is served, or soon will not be.", cure: "Make room now; no restart is needed. See 'Disk full' in OPERATE.md.")
    }
    return Finding(.diskLow, path, "\(cause).", cure: "Make room, or have an auditor export and compress old segments of the log.")
  }
}

/// What a write of a batch, or of a manifest, may take.
private let leastSpace = 16 << 20
