/// An open file of a `Disk`, closed when its owner is destroyed.
package struct File: ~Copyable, Sendable {
  private let disk: any Disk
  private let descriptor: Int32

  package init(_ path: String, _ access: FileAccess, on disk: any Disk) throws(DiskError) {
    descriptor = try disk.open(path, access)
    self.disk = disk
  }

  /// Size in bytes.
  package var size: Int {
    get throws(DiskError) { try disk.size(descriptor) }
  }

  /// Whether the path still names this file: it was neither removed nor replaced.
  package func isNamed(_ path: String) throws(DiskError) -> Bool { try disk.isNamed(descriptor, path) }

  package func lock() throws(DiskError) { try disk.lock(descriptor) }

  /// Reads up to the buffer's size; fewer bytes mean the end of the file.
  package func read(into buffer: inout MutableSpan<UInt8>, at offset: Int) throws(DiskError) -> Int {
    try disk.read(descriptor, into: &buffer, at: offset)
  }

  /// Writes all of `bytes`; on an error, any part of them may be written.
  package func write(_ bytes: Span<UInt8>, at offset: Int) throws(DiskError) {
    try disk.write(descriptor, bytes, at: offset)
  }

  package func truncate(to size: Int) throws(DiskError) { try disk.truncate(descriptor, to: size) }
  /// Makes contents and size durable.
  package func syncData() throws(DiskError) { try disk.syncData(descriptor) }
  /// Makes contents, size and attributes durable.
  package func sync() throws(DiskError) { try disk.sync(descriptor) }

  deinit { disk.close(descriptor) }
}
