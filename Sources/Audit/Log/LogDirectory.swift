package import Host

/// A log's directory: its segments, `torn/` with what crashes left, and the `lock` of the writing process.
package struct LogDirectory: Sendable {
  package let path: String
  package let disk: any Disk

  package init(_ path: String, on disk: any Disk = LinuxDisk()) { (self.path, self.disk) = (path, disk) }

  var tornPath: String { path + "/torn" }

  func path(of segment: SegmentName) -> String { path + "/" + segment.text }

  /// In ascending order; other file names are ignored.
  package func segments() throws(DiskError) -> [SegmentName] {
    try disk.list(path).compactMap(SegmentName.init).sorted()
  }

  /// The first sequence of the oldest segment, compressed (AUD-DIR-4) or not.
  func oldest() throws(DiskError) -> UInt64? {
    try disk.list(path).compactMap { SegmentName($0.hasSuffix(".zst") ? String($0.dropLast(4)) : $0) }.min()?.first
  }

  func open(_ segment: SegmentName, _ access: FileAccess) throws(DiskError) -> File {
    try File(path(of: segment), access, on: disk)
  }

  /// Opens a segment for reading.
  ///
  /// - Throws: `.tampered` for a compressed segment that is damaged.
  package func read(_ segment: SegmentName) throws(AuditError) -> File {
    do throws(DiskError) { return try open(segment, .read) } catch {
      throw error == .damaged ? .tampered(at: segment.first, .compression) : .disk(error)
    }
  }

  /// Durably removes a segment that holds nothing of value.
  func remove(_ segment: SegmentName) throws(DiskError) {
    try disk.remove(path(of: segment))
    try disk.syncDirectory(path)
  }

  /// Opens and locks the file that keeps a second writer out.
  func lock() throws(AuditError) -> File {
    let name = path + "/lock"
    do throws(DiskError) {
      if try !disk.list(path).contains("lock") { _ = try File(name, .create(mode: 0o600), on: disk) }
      let file = try File(name, .update, on: disk)
      try file.lock()
      return file
    } catch {
      throw error.call == .lock ? .inUse : .disk(error)
    }
  }
}
