package import Host

/// The layout of an export.
///
///     checkpoint               the newest one; written last: an export without it is not whole
///     tile/                    C2SP tlog-tiles: hashes and entries
///     log/                     the segments, without unused space
///     log/pruned/              proofs from kept checkpoints to the oldest record
///     checkpoints/SIZE         the last one of each segment
///     vkey                     the log's verifier key
///     policy/policy.toml       a policy that the log names, in its canonical form
///     transcripts/             files as they were given; no record of the log covers them
package struct ExportDirectory: Sendable {
  package let path: String
  let disk: any Disk

  package init(_ path: String, on disk: any Disk = LinuxDisk()) {
    self.path = path
    self.disk = disk
  }

  static let (checkpoint, log, checkpoints, tiles, verifierKey) = (
    "checkpoint", "log", "checkpoints", "tile", "vkey"
  )

  /// Whether it has both a checkpoint and a log; a log's own directory has neither of these names.
  package var isComplete: Bool { has(Self.checkpoint) && has(Self.log) }

  package var checkpointPath: String { path + "/" + Self.checkpoint }
  package var logPath: String { path + "/" + Self.log }

  /// Makes the directory, which must not exist.
  func create() throws(DiskError) { try disk.makeDirectory(path, mode: 0o755) }

  /// Makes the nested folders that do not exist yet.
  func makeFolders(_ names: [String]) throws(DiskError) {
    var folder = path
    for name in names {
      folder += "/" + name
      do throws(DiskError) { try disk.makeDirectory(folder, mode: 0o755) } catch
        where error.isPresence
      {}
    }
  }

  func write(_ name: String, _ bytes: Span<UInt8>) throws(DiskError) {
    let file = try File(path + "/" + name, .create(mode: 0o644), on: disk)
    try file.write(bytes, at: 0)
    try file.sync()
  }

  func read(_ name: String, limit: Int) throws(StorageError) -> [UInt8] {
    try DurableFile.read(path + "/" + name, limit: limit, on: disk)
  }

  func has(_ name: String) -> Bool { (try? disk.list(path).contains(name)) ?? false }

  /// The contents of a folder; nil if it is none.
  func list(_ folder: String) -> [String]? { try? disk.list(path + "/" + folder) }

  /// Every file that is not in `known`, ascending; a folder without any known file is listed once,
  /// with a slash at the end.
  func files(besides known: Set<String>) -> [String] {
    let folders = known.reduce(into: Set<String>()) { folders, name in
      var parent = name[...]
      while let slash = parent.lastIndex(of: "/"), folders.insert(String(parent[..<slash])).inserted
      { parent = parent[..<slash] }
    }
    return ((try? disk.list(path)) ?? []).flatMap { files(at: $0, besides: known, folders) }
  }

  private func files(at name: String, besides known: Set<String>, _ folders: Set<String>)
    -> [String]
  {
    guard !known.contains(name) else { return [] }
    guard let inside = list(name) else { return [name] }
    return folders.contains(name)
      ? inside.flatMap { files(at: name + "/" + $0, besides: known, folders) } : [name + "/"]
  }
}
