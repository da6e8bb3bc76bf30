// Storage: the one seam to the disk, and files that survive a crash.
// It knows which calls make a change durable; tests put a disk that fails in its place.
// It must not know what is in a file.

/// The file system operations that the key store and the audit log need.
///
/// The only seam between them and the real disk, so that tests can make every single call fail,
/// lose or tear data. `File` owns the descriptors; nothing else should call the functions that take
/// one.
package protocol Disk: Sendable {
  func open(_ path: String, _ access: FileAccess) throws(DiskError) -> Int32
  func close(_ descriptor: Int32)
  func size(_ descriptor: Int32) throws(DiskError) -> Int
  /// Whether the path still names the open file.
  func isNamed(_ descriptor: Int32, _ path: String) throws(DiskError) -> Bool
  /// Locks the whole file for this process until it is closed; throws `EWOULDBLOCK` if another
  /// process has locked it.
  func lock(_ descriptor: Int32) throws(DiskError)

  /// Reads up to the buffer's size; fewer bytes mean the end of the file.
  func read(_ descriptor: Int32, into buffer: inout MutableSpan<UInt8>, at offset: Int)
    throws(DiskError) -> Int
  /// Writes all of `bytes`; on an error, any part of them may be written.
  func write(_ descriptor: Int32, _ bytes: Span<UInt8>, at offset: Int) throws(DiskError)
  func truncate(_ descriptor: Int32, to size: Int) throws(DiskError)
  /// `fdatasync(2)`: contents and size are durable.
  func syncData(_ descriptor: Int32) throws(DiskError)
  /// `fsync(2)`: contents, size and attributes are durable.
  func sync(_ descriptor: Int32) throws(DiskError)

  /// Atomically replaces what `target` names.
  func rename(_ source: String, to target: String) throws(DiskError)
  func remove(_ path: String) throws(DiskError)
  func makeDirectory(_ path: String, mode: UInt32) throws(DiskError)
  /// Makes the names in the directory durable.
  func syncDirectory(_ path: String) throws(DiskError)
  /// How many bytes this process can still write to the path's file system.
  func freeBytes(_ path: String) throws(DiskError) -> Int
  /// The names in the directory except `.` and `..`, in ascending order.
  func list(_ path: String) throws(DiskError) -> [String]
}

/// How a file is opened; only regular files are: opening neither waits for a named pipe nor reads a
/// device.
package enum FileAccess: Hashable, Sendable {
  /// Reading; symbolic links are not followed.
  case read
  /// Reading what a person named on the command line or in a configuration; a symbolic link is
  /// followed, for it is that person's choice.
  case readFollowingLink
  /// Reading and writing; the file must exist, and symbolic links are not followed.
  case update
  /// Likewise, past the page cache where the file system can: offsets and sizes of writes are
  /// multiples of `PageBuffer.pageSize`, and memory begins at a page.
  case updateDirect
  /// Reading and writing; the file must not exist.
  case create(mode: UInt32)
}

/// A system call that failed.
package struct DiskError: Error, Hashable {
  package enum Call: Hashable, Sendable {
    case open, size, lock, read, write, truncate, sync, rename, remove, makeDirectory, list,
      freeBytes
    /// Running the program that compresses or expands a file.
    case expand
  }

  package let call: Call
  package let errno: Int32

  package init(_ call: Call, errno: Int32) {
    self.call = call
    self.errno = errno
  }

  /// `ENOENT`: there is no such file or directory.
  package var isAbsence: Bool { errno == 2 }
  /// `EACCES`: the file's owner or mode does not let this process at it.
  package var isDenied: Bool { errno == 13 }
  /// `ENOSPC` or `EDQUOT`: the disk or the quota is full.
  package var isExhaustion: Bool { errno == Self.full || errno == 122 }
  /// Likewise, and not found at a sync: what was durable still is, and the call can be made again
  /// once there is room.
  package var isExhaustionBeforeSync: Bool { isExhaustion && call != .sync }
  /// Likewise, or nothing could be opened for want of memory or descriptors (`ENOMEM`, `ENFILE`,
  /// `EMFILE`).
  package var isShortage: Bool {
    isExhaustionBeforeSync || (call == .open || call == .list) && [12, 23, 24].contains(errno)
  }
  /// `ENOSPC`.
  package static let full: Int32 = 28
  /// `EIO`.
  package static let inputOutput: Int32 = 5
  /// `EEXIST`.
  package var isPresence: Bool { errno == 17 }

  /// `EINVAL`: the path names a directory, a named pipe, a socket or a device.
  package static let notRegular = DiskError(.open, errno: 22)
  /// `ELOOP`: the path names a symbolic link, which is not followed.
  package static let link = DiskError(.open, errno: 40)
  /// `EBADMSG`: a compressed file is cut short or damaged.
  package static let damaged = DiskError(.expand, errno: 74)
  /// `ENOPKG`: the program that expands compressed files is not installed.
  package static let notInstalled = DiskError(.expand, errno: 65)
}

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
  package func isNamed(_ path: String) throws(DiskError) -> Bool {
    try disk.isNamed(descriptor, path)
  }

  package func lock() throws(DiskError) { try disk.lock(descriptor) }

  /// Reads up to the buffer's size; fewer bytes mean the end of the file.
  package func read(into buffer: inout MutableSpan<UInt8>, at offset: Int) throws(DiskError) -> Int
  {
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
