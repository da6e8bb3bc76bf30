import Host

/// How much room a log's disk has.
package enum LogSpace: String, Sendable {
  case ample
  /// Less than configured: records are still taken, but somebody should free space.
  case low
  /// No records are taken until there is space for the reserve again.
  case full
}

/// A file that reserves disk space: removed so that a full log can write its last records, and made
/// again before it goes on.
struct SpaceReserve {
  private let directory: LogDirectory
  /// In bytes; 0 for no reserve.
  let size: Int

  init(_ directory: LogDirectory, size: Int) {
    self.directory = directory
    self.size = size
  }

  /// Makes the file in its full size; returns false if there is no space for it.
  ///
  /// It writes zeros, because sparse files and `fallocate(2)` guarantee less.
  func make() throws(DiskError) -> Bool {
    guard size > 0 else { return false }
    if (try? File(path, .read, on: directory.disk).size) == size { return true }
    try DurableFile.remove(path, on: directory.disk)
    do throws(DiskError) {
      try write()
      try directory.disk.syncDirectory(directory.path)
    } catch {
      try DurableFile.remove(path, on: directory.disk)
      guard error.isShortage else { throw error }
      return false
    }
    return true
  }

  /// Removes the file, so that the log can use its space.
  func release() throws(DiskError) {
    try DurableFile.remove(path, on: directory.disk)
    try directory.disk.syncDirectory(directory.path)
  }

  private var path: String { directory.path + "/reserve" }

  private func write() throws(DiskError) {
    let file = try File(path, .create(mode: 0o600), on: directory.disk)
    let zeros = [UInt8](repeating: 0, count: min(size, 1 << 20))
    var written = 0
    while written < size {
      let count = min(zeros.count, size - written)
      try file.write(zeros.span.extracting(0..<count), at: written)
      written += count
    }
    try file.syncData()
  }
}
