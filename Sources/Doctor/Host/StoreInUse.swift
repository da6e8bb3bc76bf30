package import Host

/// A disk on which a key store that a daemon has open can be read like a copy: its lock is neither
/// seen nor taken, and nothing is written.
package struct StoreInUse: Disk {
  private let disk = LinuxDisk()
  /// `EROFS`
  private static let readOnly: Int32 = 30

  package init() {}

  package func open(_ path: String, _ access: FileAccess) throws(DiskError) -> Int32 {
    switch access {
    case .read, .readFollowingLink: break
    case .update, .updateDirect, .create: throw DiskError(.open, errno: Self.readOnly)
    }
    // ENOENT
    guard !path.hasSuffix("/lock") else { throw DiskError(.open, errno: 2) }
    return try disk.open(path, access)
  }

  package func close(_ descriptor: Int32) { disk.close(descriptor) }
  package func size(_ descriptor: Int32) throws(DiskError) -> Int { try disk.size(descriptor) }
  package func isNamed(_ descriptor: Int32, _ path: String) throws(DiskError) -> Bool {
    try disk.isNamed(descriptor, path)
  }
  package func lock(_ descriptor: Int32) throws(DiskError) {
    throw DiskError(.lock, errno: Self.readOnly)
  }
  package func read(_ descriptor: Int32, into buffer: inout MutableSpan<UInt8>, at offset: Int)
    throws(DiskError) -> Int
  {
    try disk.read(descriptor, into: &buffer, at: offset)
  }
  package func write(_ descriptor: Int32, _ bytes: Span<UInt8>, at offset: Int) throws(DiskError) {
    throw DiskError(.write, errno: Self.readOnly)
  }
  package func truncate(_ descriptor: Int32, to size: Int) throws(DiskError) {
    throw DiskError(.write, errno: Self.readOnly)
  }
  package func syncData(_ descriptor: Int32) throws(DiskError) {
    throw DiskError(.sync, errno: Self.readOnly)
  }
  package func sync(_ descriptor: Int32) throws(DiskError) {
    throw DiskError(.sync, errno: Self.readOnly)
  }
  package func rename(_ source: String, to target: String) throws(DiskError) {
    throw DiskError(.rename, errno: Self.readOnly)
  }
  package func remove(_ path: String) throws(DiskError) {
    throw DiskError(.remove, errno: Self.readOnly)
  }
  package func makeDirectory(_ path: String, mode: UInt32) throws(DiskError) {
    throw DiskError(.makeDirectory, errno: Self.readOnly)
  }
  package func syncDirectory(_ path: String) throws(DiskError) {
    throw DiskError(.sync, errno: Self.readOnly)
  }
  package func freeBytes(_ path: String) throws(DiskError) -> Int { try disk.freeBytes(path) }
  package func list(_ path: String) throws(DiskError) -> [String] { try disk.list(path) }
}
