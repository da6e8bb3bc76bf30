import Audit
import CChild
package import Host

/// Replaces a complete segment by a compressed file.
package struct SegmentCompression {
  private let directory: String
  private let disk: any Disk

  package init(_ directory: String, on disk: any Disk = LinuxDisk()) {
    self.directory = directory
    self.disk = disk
  }

  /// Those of the segments, named by file, that are not compressed yet.
  package func plain(_ segments: [String]) throws(DiskError) -> [String] {
    let names = Set(try disk.list(directory))
    return segments.filter(names.contains)
  }

  /// A segment's bytes before and after.
  package struct Saving: Equatable, Sendable {
    package var before = 0
    package var after = 0

    package init() {}

    package static func += (sum: inout Saving, next: Saving) {
      sum.before += next.before
      sum.after += next.after
    }
  }

  /// write(.NAME.zst.tmp), fsync, expand and compare, rename(NAME.zst), fsync(directory),
  /// remove(NAME), fsync(directory).
  ///
  /// If interrupted anywhere, the plain segment or a compressed one that was compared with it is
  /// there; another run completes it.
  /// - Parameter segment: a file name.
  /// - Returns: nil for one that is compressed already.
  /// - Throws: `DiskError.damaged` if the compressed file does not expand to the segment, which
  ///   then stays as it was.
  package func compress(_ segment: String) throws(DiskError) -> Saving? {
    let path = directory + "/" + segment
    let plain: Int32
    do throws(DiskError) { plain = try disk.open(path, .read) } catch {
      guard error.isAbsence else { throw error }
      return nil
    }
    defer { disk.close(plain) }
    let temporary = directory + "/." + segment + ArchiveDisk.suffix + ".tmp"
    let after: Int
    do throws(DiskError) {
      after = try write(plain, to: temporary)
      try compare(plain, with: temporary)
      try disk.rename(temporary, to: path + ArchiveDisk.suffix)
    } catch {
      try? disk.remove(temporary)
      throw error
    }
    try disk.syncDirectory(directory)
    try disk.remove(path)
    try disk.syncDirectory(directory)
    var saving = Saving()
    saving.before = try disk.size(plain)
    saving.after = after
    return saving
  }

  /// Expands every compressed segment that has a record from `sequence` on, beside it:
  /// write(.NAME.tmp), fsync, rename(NAME), fsync(directory).
  ///
  /// Whole segments, whose records and checkpoints the daemon checks as any others'.
  /// - Returns: the file names of the expanded ones.
  package func expand(from sequence: UInt64) throws(DiskError) -> [String] {
    let plain = Set(try disk.list(directory))
    let segments = try LogDirectory(directory, on: ArchiveDisk(on: disk)).segments()
    var expanded: [String] = []
    for (place, name) in segments.enumerated() where !plain.contains(name.text) {
      guard place + 1 == segments.count || segments[place + 1].first > sequence else { continue }
      try expand(name.text)
      expanded.append(name.text)
    }
    return expanded
  }

  private func expand(_ segment: String) throws(DiskError) {
    let path = directory + "/" + segment
    let plain = try ArchiveDisk(on: disk).expanded(path + ArchiveDisk.suffix)
    defer { disk.close(plain) }
    let temporary = directory + "/." + segment + ".tmp"
    do throws(DiskError) {
      try copy(plain, to: temporary, asReadableAs: path + ArchiveDisk.suffix)
      try disk.rename(temporary, to: path)
    } catch {
      try? disk.remove(temporary)
      throw error
    }
    try disk.syncDirectory(directory)
  }

  private func copy(_ plain: Int32, to path: String, asReadableAs compressed: String)
    throws(DiskError)
  {
    try DurableFile.remove(path, on: disk)
    let file = try disk.open(path, .create(mode: 0o600))
    defer { disk.close(file) }
    let model = try disk.open(compressed, .read)
    defer { disk.close(model) }
    // EPERM.
    guard kist_copy_owner(model, file) == 0 else { throw DiskError(.expand, errno: 1) }
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    var place = 0
    while case let count = try read(plain, into: &piece, at: place), count > 0 {
      try disk.write(file, piece.span.extracting(first: count), at: place)
      place += count
    }
    try disk.sync(file)
  }

  /// - Returns: the compressed size in bytes.
  private func write(_ plain: Int32, to path: String) throws(DiskError) -> Int {
    try DurableFile.remove(path, on: disk)
    let file = try disk.open(path, .create(mode: 0o600))
    defer { disk.close(file) }
    try Zstandard.compress(plain, into: file)
    // The same users must be able to read this file as read the segment; EPERM.
    guard kist_copy_owner(plain, file) == 0 else { throw DiskError(.expand, errno: 1) }
    try disk.sync(file)
    return try disk.size(file)
  }

  private func compare(_ plain: Int32, with path: String) throws(DiskError) {
    let copy = try ArchiveDisk(on: disk).expanded(path)
    defer { disk.close(copy) }
    let size = try disk.size(plain)
    guard try disk.size(copy) == size else { throw .damaged }
    var old = [UInt8](repeating: 0, count: 1 << 20)
    var new = [UInt8](repeating: 0, count: 1 << 20)
    for offset in stride(from: 0, to: size, by: old.count) {
      guard try read(plain, into: &old, at: offset) == read(copy, into: &new, at: offset),
        old == new
      else { throw .damaged }
    }
  }

  private func read(_ descriptor: Int32, into buffer: inout [UInt8], at offset: Int)
    throws(DiskError) -> Int
  {
    var span = buffer.mutableSpan
    return try disk.read(descriptor, into: &span, at: offset)
  }
}
