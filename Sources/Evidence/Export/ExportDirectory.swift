package import Storage

/// What an export holds, and where.
///
///     checkpoint               the newest one; written last, so an export without it is not finished
///     tile/                    C2SP tlog-tiles: hashes and entries
///     log/                     the segments, without unused space
///     checkpoints/SIZE         the last one of each segment
///     vkey                     the log's verifier key
///     policy/ transcripts/     files as they were given
package struct ExportDirectory: Sendable {
  package let path: String
  let disk: any Disk

  package init(_ path: String, on disk: any Disk = LinuxDisk()) { (self.path, self.disk) = (path, disk) }

  static let (checkpoint, log, checkpoints, tiles, verifierKey) = ("checkpoint", "log", "checkpoints", "tile", "vkey")

  /// Makes the directory, which must not be there.
  func create() throws(DiskError) { try disk.makeDirectory(path, mode: 0o755) }

  /// Makes the folders one below the other where they are not there yet.
  func makeFolders(_ names: [String]) throws(DiskError) {
    var folder = path
    for name in names {
      folder += "/" + name
      do throws(DiskError) { try disk.makeDirectory(folder, mode: 0o755) } catch  where error.isPresence {}
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
}
