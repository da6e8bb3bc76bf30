internal import Configuration

/// Owners and permissions of every file and directory of the daemon's.
let fileChecks: [CheckUp.Check] = [checkPlaces, checkLogGroup, checkParents]

/// What a directory or file must be at most.
private struct Place {
  let path: String
  var kind = FileFacts.Kind.directory
  /// The widest permissions, set-group-id aside.
  let mode: UInt32
}

@Sendable private func checkPlaces(_ host: Host) -> [Finding] {
  guard let user = host.user else { return [] }
  var seen: Set<Finding> = []
  return host.places.flatMap { check($0, owner: user, host) }.filter { seen.insert($0).inserted }
}

private func check(_ place: Place, owner: UInt32, _ host: Host) -> [Finding] {
  switch host.surroundings.look(at: place.path) {
  case .hidden:
    let folder = place.path.parent
    return [Finding(.notExamined, folder, "You may not look into \(folder).", cure: "Run kist doctor as root.")]
  case .absent where place.kind == .file: return []
  case .absent:
    return [
      Finding(.directoryMissing, place.path, "There is no directory \(place.path).", cure: "Run systemd-tmpfiles --create, or make it for the daemon's user.")
    ]
  case .there(let facts): return check(place, facts, owner: owner)
  }
}

private func check(_ place: Place, _ facts: FileFacts, owner: UInt32) -> [Finding] {
  guard facts.kind == place.kind else {
    return [
      Finding(
        .fileKind, place.path, "\(place.path) is no \(place.kind == .file ? "regular file" : "directory"), and kistd follows no link there.",
        cure: "Find out who put it there, and put the right one back.")
    ]
  }
  var findings: [Finding] = []
  if facts.owner != owner {
    findings.append(
      Finding(
        .fileOwner, place.path, "\(place.path) belongs to user \(facts.owner) and not to the daemon's, \(owner).", cure: "Run chown \(owner) \(place.path)."))
  }
  if facts.mode & ~place.mode & 0o777 != 0 {
    findings.append(
      Finding(
        .fileOpen, place.path, "\(place.path) has mode \(facts.modeText), and others have rights to it.",
        cure: "Run chmod \(FileFacts.text(mode: facts.mode & place.mode)) \(place.path), and find out who used them."))
  }
  return findings
}

/// The group of the log's directory is that of its segments, which auditors read.
@Sendable private func checkLogGroup(_ host: Host) -> [Finding] {
  guard let directory = host.configuration?.audit.directory, let auditors = host.surroundings.accounts.gid("kist-auditors"),
    case .there(let facts) = host.surroundings.look(at: directory), facts.group != auditors || facts.mode & 0o2000 == 0
  else { return [] }
  return [
    Finding(
      .logGroup, directory, "New segments of the log do not go to the group kist-auditors, so auditors cannot read them.",
      cure: "Run chgrp kist-auditors \(directory) && chmod g+s \(directory).")
  ]
}

/// Whoever can rename a directory on the way can put another in its place.
@Sendable private func checkParents(_ host: Host) -> [Finding] {
  guard let configuration = host.configuration, let user = host.user else { return [] }
  let directories = [configuration.stateDirectory, configuration.audit.directory] + (configuration.backup.directory.map { [$0] } ?? [])
  var seen: Set<String> = []
  return directories.compactMap { directory in
    do throws(ConfigurationError) { try TrustedPath.check(host.surroundings.root + directory.parent, changedBy: user) } catch {
      guard !error.isUnreadable, seen.insert(error.file).inserted else { return nil }
      return .untrusted(.pathUntrusted, error, host)
    }
    return nil
  }
}

extension Host {
  fileprivate var places: [Place] {
    guard let configuration else { return [] }
    let (state, log) = (configuration.stateDirectory, configuration.audit.directory)
    var places = [Place(path: state, mode: 0o700), Place(path: log, mode: 0o750)]
    if surroundings.has(keyDirectory) { places.append(Place(path: keyDirectory, mode: 0o700)) }
    if let backups = configuration.backup.directory { places.append(Place(path: backups, mode: 0o700)) }
    places += ["audit.checkpoint", "audit.recollection", "refusals"].map { Place(path: "\(state)/\($0)", kind: .file, mode: 0o600) }
    places += surroundings.names(in: keyDirectory).map { Place(path: "\(keyDirectory)/\($0)", kind: .file, mode: 0o600) }
    places += surroundings.names(in: log).filter { $0.hasSuffix(".log") || $0.hasSuffix(".log.zst") }.map {
      Place(path: "\(log)/\($0)", kind: .file, mode: 0o640)
    }
    if case .file(let credential) = configuration.unlock { places.append(Place(path: credential, kind: .file, mode: 0o600)) }
    return places
  }
}

extension String {
  /// The directory that holds what this path names.
  fileprivate var parent: String { String(self[..<(lastIndex(of: "/") ?? startIndex)]) }
}
