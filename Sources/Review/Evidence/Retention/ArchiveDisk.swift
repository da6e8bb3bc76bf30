import CChild
package import Host

/// A disk for readers of logs, on which compressed segments appear as plain ones (AUD-DIR-4).
///
/// Opening one expands it into an anonymous memory file. The daemon does not use this disk.
package struct ArchiveDisk: Disk {
  /// What is read, for those who say how far they are.
  package enum Reading: Equatable, Sendable {
    /// A segment is opened.
    case segment(String)
    case bytes(Int)
  }

  private let disk: any Disk
  private let limit: Int
  private let note: @Sendable (Reading) -> Void

  /// - Parameter limit: the most bytes of a segment; by default twice the largest
  ///   `audit.segment_size`.
  package init(
    on disk: any Disk = LinuxDisk(), limit: Int = 2 << 30,
    _ note: @escaping @Sendable (Reading) -> Void = { _ in }
  ) {
    self.disk = disk
    self.limit = limit
    self.note = note
  }

  /// Follows the segment's name in that of a compressed one.
  static let suffix = ".zst"

  package func open(_ path: String, _ access: FileAccess) throws(DiskError) -> Int32 {
    guard access == .read, Self.isSegment(path) else { return try disk.open(path, access) }
    note(.segment(path))
    do throws(DiskError) { return try disk.open(path, .read) } catch {
      guard error.isAbsence else { throw error }
    }
    return try expanded(path + Self.suffix)
  }

  package func list(_ path: String) throws(DiskError) -> [String] {
    Set(
      try disk.list(path).map {
        Self.isSegment($0.dropLast(Self.suffix.count)) && $0.hasSuffix(Self.suffix)
          ? String($0.dropLast(Self.suffix.count)) : $0
      }
    )
    .sorted()
  }

  /// Removes the segment, and what an interrupted compression left beside it.
  package func remove(_ path: String) throws(DiskError) {
    guard Self.isSegment(path) else { return try disk.remove(path) }
    do throws(DiskError) { try disk.remove(path + Self.suffix) } catch {
      guard error.isAbsence else { throw error }
      return try disk.remove(path)
    }
    try DurableFile.remove(path, on: disk)
  }

  /// The bytes of a compressed file, open for reading.
  func expanded(_ path: String) throws(DiskError) -> Int32 {
    let compressed = try disk.open(path, .read)
    defer { disk.close(compressed) }
    let plain = kist_memory_file()
    // ENOMEM
    guard plain >= 0 else { throw DiskError(.expand, errno: 12) }
    do throws(DiskError) { try Zstandard.expand(compressed, into: plain, limit: limit) } catch {
      disk.close(plain)
      throw error
    }
    return plain
  }

  private static func isSegment(_ path: some StringProtocol) -> Bool { path.hasSuffix(".log") }
}

extension ArchiveDisk {
  package func close(_ descriptor: Int32) { disk.close(descriptor) }
  package func size(_ descriptor: Int32) throws(DiskError) -> Int { try disk.size(descriptor) }
  package func isNamed(_ descriptor: Int32, _ path: String) throws(DiskError) -> Bool {
    try disk.isNamed(descriptor, path)
  }
  package func lock(_ descriptor: Int32) throws(DiskError) { try disk.lock(descriptor) }

  package func read(_ descriptor: Int32, into buffer: inout MutableSpan<UInt8>, at offset: Int)
    throws(DiskError) -> Int
  {
    let count = try disk.read(descriptor, into: &buffer, at: offset)
    note(.bytes(count))
    return count
  }

  package func write(_ descriptor: Int32, _ bytes: Span<UInt8>, at offset: Int) throws(DiskError) {
    try disk.write(descriptor, bytes, at: offset)
  }
  package func truncate(_ descriptor: Int32, to size: Int) throws(DiskError) {
    try disk.truncate(descriptor, to: size)
  }
  package func syncData(_ descriptor: Int32) throws(DiskError) { try disk.syncData(descriptor) }
  package func sync(_ descriptor: Int32) throws(DiskError) { try disk.sync(descriptor) }
  package func rename(_ source: String, to target: String) throws(DiskError) {
    try disk.rename(source, to: target)
  }
  package func makeDirectory(_ path: String, mode: UInt32) throws(DiskError) {
    try disk.makeDirectory(path, mode: mode)
  }
  package func syncDirectory(_ path: String) throws(DiskError) { try disk.syncDirectory(path) }
  package func freeBytes(_ path: String) throws(DiskError) -> Int { try disk.freeBytes(path) }
}
