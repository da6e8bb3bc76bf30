import Policy

/// Whether the disks have room.
let spaceChecks: [CheckUp.Check] = [checkSpace, checkFiles]

@Sendable private func checkSpace(_ host: Host) -> [Finding] {
  guard let configuration = host.configuration else { return [] }
  let audit = configuration.audit
  return places(configuration).compactMap { path, what in
    let reserve = path == audit.directory ? audit.reserve : 0
    guard let free = host.surroundings.freeBytes(host.surroundings.root + path),
      free < audit.lowSpace
    else { return nil }
    let cause = "The disk of \(what) has \(free >> 20) MiB left"
    if free <= reserve + leastSpace {
      return Finding(
        .diskFull, path, "\(cause), so nothing is served, or soon will not be.",
        cure: "Make room now; no restart is needed. See 'Disk full' in OPERATE.md.")
    }
    return Finding(
      .diskLow, path, "\(cause).",
      cure: "Make room, or have an auditor export and compress old segments of the log.")
  }
}

/// A disk can have room, and none for another file: a segment, a checkpoint, a manifest.
@Sendable private func checkFiles(_ host: Host) -> [Finding] {
  guard let configuration = host.configuration else { return [] }
  return places(configuration).compactMap { path, what in
    guard let free = host.surroundings.freeFiles(host.surroundings.root + path), free < leastFiles
    else { return nil }
    return Finding(
      .inodesLow, path, "The disk of \(what) has room for \(free) files more.",
      cure:
        "Remove files that nobody needs: df --inodes \(path) and du --inodes show where they are.")
  }
}

private func places(_ configuration: DaemonConfiguration) -> [(path: String, what: String)] {
  [
    (configuration.audit.directory, "the audit log"),
    (configuration.stateDirectory, "the key store"),
  ]
    + (configuration.backup.directory.map { [($0, "the backups")] } ?? [])
}

private let leastFiles = 1000

/// What a write of a batch, or of a manifest, may take.
private let leastSpace = 16 << 20
