/// Whole files: read up to a limit, and replaced so that a crash leaves either the old or the new
/// file.
package enum DurableFile {
  /// Atomically replaces or creates a file.
  ///
  /// remove(.NAME.tmp), open(.NAME.tmp, O_EXCL), write, fsync, close, rename(.NAME.tmp, NAME),
  /// fsync(directory). After an error before the rename the old file is intact; after a later error
  /// either file may survive a crash.
  package static func replace(
    _ name: String, in directory: String, with contents: Span<UInt8>, mode: UInt32 = 0o600,
    on disk: any Disk
  ) throws(DiskError) {
    let temporary = directory + "/." + name + ".tmp"
    try remove(temporary, on: disk)
    do throws(DiskError) {
      try make(temporary, with: contents, mode: mode, on: disk)
      try disk.rename(temporary, to: directory + "/" + name)
    } catch {
      try? disk.remove(temporary)
      throw error
    }
    try disk.syncDirectory(directory)
  }

  /// Creates a file that must not exist; its contents are durable afterwards, but its name is not.
  package static func make(
    _ path: String, with contents: Span<UInt8>, mode: UInt32 = 0o600, on disk: any Disk
  ) throws(DiskError) {
    let file = try File(path, .create(mode: mode), on: disk)
    try file.write(contents, at: 0)
    try file.sync()
  }

  /// Whether a name is that of an unfinished file of `replace`, which means nothing after a crash.
  package static func isTemporary(_ name: String) -> Bool {
    name.hasPrefix(".") && name.hasSuffix(".tmp")
  }

  /// The file's bytes.
  ///
  /// - Throws: `StorageError.tooLarge` above `limit` bytes, before anything is allocated.
  package static func read(_ path: String, limit: Int, on disk: any Disk) throws(StorageError)
    -> [UInt8]
  {
    let opened = try open(path, limit: limit, on: disk)
    var bytes = [UInt8](repeating: 0, count: opened.size)
    var span = bytes.mutableSpan
    try fill(&span, from: opened.file)
    return bytes
  }

  /// Whether the file has exactly these bytes; reads it piece by piece.
  package static func has(_ path: String, _ expected: Span<UInt8>, on disk: any Disk)
    throws(DiskError) -> Bool
  {
    let file = try File(path, .read, on: disk)
    guard try file.size == expected.count else { return false }
    var piece = [UInt8](repeating: 0, count: min(expected.count, 64 << 10))
    var place = 0
    while place < expected.count {
      var span = piece.mutableSpan
      let count = try file.read(into: &span, at: place)
      guard count > 0, count <= expected.count - place,
        ConstantTime.equal(
          piece.span.extracting(first: count), expected.extracting(place..<place + count))
      else { return false }
      place += count
    }
    return true
  }

  /// The file's bytes, read straight into secret memory.
  ///
  /// - Throws: `StorageError.tooLarge` above `limit` bytes; `.exhausted` if the arena is full.
  package static func readSecret(_ path: String, limit: Int, on disk: any Disk) throws(StorageError)
    -> SecretBuffer
  {
    let opened = try open(path, limit: limit, on: disk)
    var buffer: SecretBuffer
    do throws(SecretMemoryError) { buffer = try SecretBuffer(count: opened.size) } catch {
      throw .exhausted
    }
    var span = buffer.mutableBytes
    try fill(&span, from: opened.file)
    return buffer
  }

  /// Creates the directory, or accepts an existing one, and makes its name durable.
  package static func makeDirectory(
    _ name: String, in parent: String, mode: UInt32 = 0o700, on disk: any Disk
  ) throws(DiskError) {
    do throws(DiskError) {
      try disk.makeDirectory(parent + "/" + name, mode: mode)
    } catch {
      guard error.isPresence else { throw error }
    }
    try disk.syncDirectory(parent)
  }

  /// Removes a file, if it exists.
  package static func remove(_ path: String, on disk: any Disk) throws(DiskError) {
    do throws(DiskError) {
      try disk.remove(path)
    } catch {
      guard error.isAbsence else { throw error }
    }
  }
}

/// Why a file could not be read completely.
package enum StorageError: Error, Hashable {
  case disk(DiskError)
  case tooLarge
  /// The file's size changed during the read.
  case unstable
  /// The arena is full.
  case exhausted
}

extension DurableFile {
  private struct Opened: ~Copyable {
    let file: File
    let size: Int
  }

  private static func open(_ path: String, limit: Int, on disk: any Disk) throws(StorageError)
    -> Opened
  {
    do throws(DiskError) {
      let file = try File(path, .read, on: disk)
      let size = try file.size
      if size <= limit { return Opened(file: file, size: size) }
    } catch {
      throw .disk(error)
    }
    throw .tooLarge
  }

  private static func fill(_ buffer: inout MutableSpan<UInt8>, from file: borrowing File)
    throws(StorageError)
  {
    let wanted = buffer.count
    do throws(DiskError) {
      if try file.read(into: &buffer, at: 0) == wanted { return }
    } catch {
      throw .disk(error)
    }
    throw .unstable
  }
}
