package import Host

/// The daemon's own small files beside the key store; each is replaced as a whole.
package struct StateDirectory: Sendable {
  package let path: String
  private let disk: any Disk

  package init(_ path: String, on disk: any Disk = LinuxDisk()) {
    self.path = path
    self.disk = disk
  }

  enum File: String {
    /// The log's newest checkpoint, at most a second old while records are written.
    case checkpoint = "audit.checkpoint"
    /// What otherwise only the log remembers, up to some place in it.
    case recollection = "audit.recollection"
    /// How many requests were refused while the key store was locked.
    case refusals = "refusals"

    /// The most bytes that are read from the file.
    fileprivate var limit: Int {
      switch self {
      case .checkpoint: 4096
      // Two generations of the largest replay guard, and the quotas.
      case .recollection: 2 << 30
      case .refusals: 32
      }
    }
  }

  func path(of file: File) -> String { path + "/" + file.rawValue }

  /// The file's bytes; nil if it does not exist.
  func read(_ file: File) throws(StorageError) -> [UInt8]? {
    do throws(StorageError) {
      return try DurableFile.read(path(of: file), limit: file.limit, on: disk)
    } catch {
      if case .disk(let error) = error, error.isAbsence { return nil }
      throw error
    }
  }

  /// Replaces the file, durably.
  func write(_ file: File, _ bytes: [UInt8]) throws(DiskError) {
    try DurableFile.replace(file.rawValue, in: path, with: bytes.span, on: disk)
  }

  /// Removes the file durably, if it exists.
  func remove(_ file: File) throws(DiskError) {
    try DurableFile.remove(path(of: file), on: disk)
    try disk.syncDirectory(path)
  }
}
