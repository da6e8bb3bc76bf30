package import Host

/// A log's directory: its segments, `torn/` with what crashes left, and the `lock` of the writing
/// process.
package struct LogDirectory: Sendable {
  package let path: String
  package let disk: any Disk

  package init(_ path: String, on disk: any Disk = LinuxDisk()) {
    self.path = path
    self.disk = disk
  }

  var tornPath: String { path + "/torn" }

  func path(of segment: SegmentName) -> String { path + "/" + segment.text }

  /// In ascending order; other file names are ignored.
  package func segments() throws(DiskError) -> [SegmentName] {
    try disk.list(path).compactMap(SegmentName.init).sorted()
  }

  /// The first sequence of the oldest segment, compressed (AUD-DIR-4) or not.
  func oldest() throws(DiskError) -> UInt64? {
    try disk.list(path).compactMap {
      SegmentName($0.hasSuffix(".zst") ? String($0.dropLast(4)) : $0)
    }.min()?.first
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
      if try !disk.list(path).contains("lock") {
        _ = try File(name, .create(mode: 0o600), on: disk)
      }
      let file = try File(name, .update, on: disk)
      try file.lock()
      return file
    } catch {
      throw error.call == .lock ? .inUse : .disk(error)
    }
  }
}

/// A segment's file name: the sequence of its first record in 20 digits, and `.log`.
package struct SegmentName: Hashable, Comparable, Sendable {
  package let first: UInt64

  init(first: UInt64) { self.first = first }

  init?(_ text: String) {
    guard text.utf8.count == 24, text.hasSuffix(".log"), let first = UInt64(text.dropLast(4)) else {
      return nil
    }
    self.first = first
    guard self.text == text else { return nil }
  }

  package var text: String { Self.padded(first) + ".log" }

  package static func < (a: Self, b: Self) -> Bool { a.first < b.first }

  static func padded(_ number: UInt64) -> String {
    let digits = String(number)
    return String(repeating: "0", count: 20 - digits.utf8.count) + digits
  }
}

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
  let directory: LogDirectory
  /// In bytes; 0 for no reserve.
  let size: Int

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
