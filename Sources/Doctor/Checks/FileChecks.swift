import Configuration
import Policy

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
  return host.places.flatMap { check($0, host) }.filter { seen.insert($0).inserted }
    + host.foreignFiles(owner: user) + host.openFiles
}

private func check(_ place: Place, _ host: Host) -> [Finding] {
  switch host.surroundings.look(at: place.path) {
  case .hidden:
    let folder = place.path.parent
    return [
      Finding(
        .notExamined, folder, "You may not look into \(folder).", cure: "Run kist doctor as root.")
    ]
  case .absent where place.kind == .file: return []
  case .absent:
    return [
      Finding(
        .directoryMissing, place.path, "There is no directory \(place.path).",
        cure: "Run systemd-tmpfiles --create kist.conf, or make it for the daemon's user.")
    ]
  case .there(let facts):
    guard facts.kind != place.kind else { return [] }
    return [
      Finding(
        .fileKind, place.path,
        "\(place.path) is no \(place.kind == .file ? "regular file" : "directory"), and kistd follows no link there.",
        cure: "Find out who put it there, and put the right one back.")
    ]
  }
}

private typealias Seen = (place: Place, facts: FileFacts)

extension Host {
  /// What is there and is of the right kind.
  private var seen: [Seen] {
    var paths: Set<String> = []
    return places.filter { paths.insert($0.path).inserted }.compactMap { place in
      guard case .there(let facts) = surroundings.look(at: place.path), facts.kind == place.kind
      else { return nil }
      return (place, facts)
    }
  }

  fileprivate func foreignFiles(owner: UInt32) -> [Finding] {
    grouped(seen.filter { $0.facts.owner != owner }) { $0.facts.owner }.map { found in
      let path = found[0].place.path
      let user = found[0].facts.owner
      return Finding(
        .fileOwner, path,
        "\(subject(found, "belongs", "belong")) to user \(user) and not to the daemon's, \(owner).",
        cure: found.count == 1
          ? "Run chown \(owner) \(path)."
          : "Run find \(path.parent) -maxdepth 1 -uid \(user) -exec chown \(owner) {} +.")
    }
  }

  fileprivate var openFiles: [Finding] {
    grouped(seen.filter { $0.facts.mode & ~$0.place.mode & 0o777 != 0 }) { $0.facts.mode }.map {
      found in
      let path = found[0].place.path
      let facts = found[0].facts
      let mode = FileFacts.text(mode: facts.mode & found[0].place.mode)
      return Finding(
        .fileOpen, path,
        "\(subject(found, "has", "have")) mode \(facts.modeText), and others have rights to \(found.count == 1 ? "it" : "them").",
        cure: found.count == 1
          ? "Run chmod \(mode) \(path), and find out who used them."
          : "Run find \(path.parent) -maxdepth 1 -type f -perm \(facts.modeText) -exec chmod \(mode) {} +, and find out who used them."
      )
    }
  }

  /// What of one directory has the same wrong is one finding.
  private func grouped(_ wrong: [Seen], by what: (Seen) -> UInt32) -> [[Seen]] {
    Dictionary(grouping: wrong) { [$0.place.path.parent, String(what($0))] }.sorted {
      $0.key.lexicographicallyPrecedes($1.key)
    }.map(\.value)
  }

  private func subject(_ found: [Seen], _ one: String, _ many: String) -> String {
    "\(found[0].place.path) \(found.count == 1 ? one : "and \(found.count - 1) more there \(many)")"
  }
}

/// The group of the log's directory is that of its segments, which auditors read.
@Sendable private func checkLogGroup(_ host: Host) -> [Finding] {
  guard let directory = host.configuration?.audit.directory,
    let auditors = host.surroundings.accounts.gid("kist-auditors"),
    case .there(let facts) = host.surroundings.look(at: directory),
    facts.group != auditors || facts.mode & 0o2000 == 0
  else { return [] }
  return [
    Finding(
      .logGroup, directory,
      "New segments of the log do not go to the group kist-auditors, so auditors cannot read them.",
      cure: .logCure(directory))
  ]
}

/// Whoever can rename a directory on the way can put another in its place.
@Sendable private func checkParents(_ host: Host) -> [Finding] {
  guard let configuration = host.configuration, let user = host.user else { return [] }
  let directories =
    [configuration.stateDirectory, configuration.audit.directory]
    + (configuration.backup.directory.map { [$0] } ?? [])
  var seen: Set<String> = []
  return directories.compactMap { directory in
    do throws(ConfigurationError) {
      try TrustedPath.check(host.surroundings.root + directory.parent, changedBy: user)
    } catch {
      guard !error.isUnreadable, seen.insert(error.file).inserted else { return nil }
      return .untrusted(.pathUntrusted, error, host)
    }
    return nil
  }
}

extension Host {
  fileprivate var places: [Place] {
    guard let configuration else { return [] }
    let state = configuration.stateDirectory
    let log = configuration.audit.directory
    var places = [Place(path: state, mode: 0o700), Place(path: log, mode: 0o750)]
    if surroundings.has(keyDirectory) { places.append(Place(path: keyDirectory, mode: 0o700)) }
    if let backups = configuration.backup.directory {
      places.append(Place(path: backups, mode: 0o700))
    }
    places += ["audit.checkpoint", "audit.recollection", "refusals"].map {
      Place(path: "\(state)/\($0)", kind: .file, mode: 0o600)
    }
    places += surroundings.names(in: keyDirectory).map {
      Place(path: "\(keyDirectory)/\($0)", kind: .file, mode: 0o600)
    }
    places += surroundings.names(in: log).filter {
      $0.hasSuffix(".log") || $0.hasSuffix(".log.zst")
    }.map {
      Place(path: "\(log)/\($0)", kind: .file, mode: 0o640)
    }
    if case .file(let credential) = configuration.unlock {
      places.append(Place(path: credential, kind: .file, mode: 0o600))
    }
    return places
  }
}

extension String {
  /// The directory that holds what this path names.
  var parent: String { String(self[..<(lastIndex(of: "/") ?? startIndex)]) }
}
