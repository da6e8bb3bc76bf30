import CLinux
import Glibc

/// The real file system.
package struct LinuxDisk: Disk {
  package init() {}

  /// Every file that the programs read is opened here; `OpeningTests` looks for others.
  package func open(_ path: String, _ access: FileAccess) throws(DiskError) -> Int32 {
    let (flags, mode): (Int32, mode_t) =
      switch access {
      case .read: (O_RDONLY | O_NOFOLLOW, 0)
      case .readFollowingLink: (O_RDONLY, 0)
      case .update: (O_RDWR | O_NOFOLLOW, 0)
      case .updateDirect: (O_RDWR | O_NOFOLLOW | kist_open_direct, 0)
      case .create(let mode): (O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
      }
    while true {
      // O_NONBLOCK, because opening a named pipe would wait for a writer.
      let descriptor = unsafe Glibc.open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, mode)
      if descriptor >= 0 { return try regular(descriptor) }
      if errno == EINVAL, access == .updateDirect { return try open(path, .update) }
      guard errno == EINTR else { throw DiskError(.open, errno: errno) }
    }
  }

  /// Accepts only regular files: files that others handed over, such as a log or an export, could
  /// be pipes or devices.
  private func regular(_ descriptor: Int32) throws(DiskError) -> Int32 {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .notRegular
    }
    return descriptor
  }

  package func close(_ descriptor: Int32) {
    // A child that this process is just starting has the descriptor until it becomes another
    // program, and a lock with it.
    _ = flock(descriptor, LOCK_UN)
    _ = Glibc.close(descriptor)
  }

  package func size(_ descriptor: Int32) throws(DiskError) -> Int { Int(try file(descriptor).size) }

  package func isNamed(_ descriptor: Int32, _ path: String) throws(DiskError) -> Bool {
    let open = try file(descriptor)
    var named = kist_file()
    guard unsafe kist_stat(-1, path, &named) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { throw DiskError(.size, errno: errno) }
      return false
    }
    return open.device == named.device && open.inode == named.inode
  }

  private func file(_ descriptor: Int32) throws(DiskError) -> kist_file {
    var file = kist_file()
    guard unsafe kist_stat(descriptor, nil, &file) == 0 else {
      throw DiskError(.size, errno: errno)
    }
    return file
  }

  package func lock(_ descriptor: Int32) throws(DiskError) {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw DiskError(.lock, errno: errno) }
  }

  package func read(_ descriptor: Int32, into buffer: inout MutableSpan<UInt8>, at offset: Int)
    throws(DiskError) -> Int
  {
    try unsafe buffer.withUnsafeMutableBytes { raw throws(DiskError) in
      var done = 0
      while done < raw.count, let start = raw.baseAddress {
        let count = unsafe pread(descriptor, start + done, raw.count - done, off_t(offset + done))
        if count == 0 { break }
        if count > 0 {
          done += count
        } else if errno != EINTR {
          throw DiskError(.read, errno: errno)
        }
      }
      return done
    }
  }

  package func write(_ descriptor: Int32, _ bytes: Span<UInt8>, at offset: Int) throws(DiskError) {
    try unsafe bytes.withUnsafeBytes { raw throws(DiskError) in
      var done = 0
      while done < raw.count, let start = raw.baseAddress {
        let count = unsafe pwrite(descriptor, start + done, raw.count - done, off_t(offset + done))
        if count >= 0 {
          done += count
        } else if errno != EINTR {
          throw DiskError(.write, errno: errno)
        }
      }
    }
  }

  package func truncate(_ descriptor: Int32, to size: Int) throws(DiskError) {
    guard ftruncate(descriptor, off_t(size)) == 0 else { throw DiskError(.truncate, errno: errno) }
  }

  // A failed sync must never be tried again: the kernel may have marked the lost pages clean.
  package func syncData(_ descriptor: Int32) throws(DiskError) {
    guard fdatasync(descriptor) == 0 else { throw DiskError(.sync, errno: errno) }
  }

  package func sync(_ descriptor: Int32) throws(DiskError) {
    guard fsync(descriptor) == 0 else { throw DiskError(.sync, errno: errno) }
  }

  package func rename(_ source: String, to target: String) throws(DiskError) {
    guard unsafe Glibc.rename(source, target) == 0 else { throw DiskError(.rename, errno: errno) }
  }

  package func remove(_ path: String) throws(DiskError) {
    guard unsafe unlink(path) == 0 else { throw DiskError(.remove, errno: errno) }
  }

  package func makeDirectory(_ path: String, mode: UInt32) throws(DiskError) {
    guard unsafe mkdir(path, mode) == 0 else { throw DiskError(.makeDirectory, errno: errno) }
  }

  package func syncDirectory(_ path: String) throws(DiskError) {
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw DiskError(.open, errno: errno) }
    defer { close(descriptor) }
    try sync(descriptor)
  }

  package func freeBytes(_ path: String) throws(DiskError) -> Int {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { throw DiskError(.freeBytes, errno: errno) }
    return Int(
      clamping: UInt64(status.f_bavail).multipliedReportingOverflow(
        by: UInt64(clamping: status.f_frsize)
      ).partialValue)
  }

  package func list(_ path: String) throws(DiskError) -> [String] {
    guard let stream = unsafe opendir(path) else { throw DiskError(.list, errno: errno) }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else { break }
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw DiskError(.list, errno: errno) }
    return names.sorted()
  }
}

/// Bytes in whole pages of memory, padded with zeros, as writing past the page cache asks for.
@safe package struct PageBuffer: ~Copyable, @unchecked Sendable {
  /// In bytes; no disk asks for more.
  package static let pageSize = 4096

  private var memory: UnsafeMutableRawBufferPointer
  /// How many bytes it holds; all behind them are zeros.
  private var count: Int

  /// - Throws: `DiskError` with `ENOMEM`.
  package init(zeros count: Int = 0) throws(DiskError) {
    unsafe memory = try Self.map(max(count.roundedUpToPage, Self.pageSize))
    self.count = count
  }

  /// All pages that it holds bytes in.
  package var pages: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      let used = unsafe UnsafeRawBufferPointer(rebasing: memory[..<count.roundedUpToPage])
      return unsafe _overrideLifetime(Span(_unsafeBytes: used), borrowing: self)
    }
  }

  /// - Throws: `DiskError` with `ENOMEM`; then nothing has changed.
  package mutating func append(_ bytes: Span<UInt8>) throws(DiskError) {
    if count + bytes.count > capacity {
      let larger = unsafe try Self.map(2 * (count + bytes.count).roundedUpToPage)
      unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
      unsafe munmap(memory.baseAddress, memory.count)
      unsafe memory = larger
    }
    let free = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count...])
    unsafe bytes.withUnsafeBytes { unsafe free.copyMemory(from: $0) }
    count += bytes.count
  }

  /// Drops the pages that are full; what is left begins with a page.
  package mutating func dropFullPages() {
    let full = count.roundedDownToPage
    guard full > 0, let start = unsafe memory.baseAddress else { return }
    unsafe memmove(start, start + full, count - full)
    unsafe memset(start + (count - full), 0, full)
    count -= full
  }

  private var capacity: Int { unsafe memory.count }

  deinit { unsafe munmap(memory.baseAddress, memory.count) }

  /// Pages that are only read stay the kernel's one page of zeros, and take no memory.
  private static func map(_ count: Int) throws(DiskError) -> UnsafeMutableRawBufferPointer {
    let start = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else {
      throw DiskError(.write, errno: ENOMEM)
    }
    return unsafe UnsafeMutableRawBufferPointer(start: start, count: count)
  }
}

extension Int {
  /// The offset of the page that this offset is in.
  package var roundedDownToPage: Int { self & ~(PageBuffer.pageSize - 1) }
  package var roundedUpToPage: Int { (self + PageBuffer.pageSize - 1).roundedDownToPage }
}

package enum SystemError {
  /// Such as `No such file or directory`.
  package static func text(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}

extension DiskError {
  /// What is wrong with a file, in words that follow its name.
  package var text: String {
    switch self {
    case .damaged: "a compressed segment is cut short or damaged; see kist audit verify"
    case .notInstalled:
      "segments are compressed, and there is no /usr/bin/zstd: install Debian's zstd"
    case .notRegular: "not a regular file"
    case .link: "a symbolic link, which is not followed here"
    default: SystemError.text(errno)
    }
  }
}

extension StorageError {
  /// What is wrong with a file, in words that follow its name.
  package var text: String {
    switch self {
    case .disk(let error): error.text
    case .tooLarge: "too large"
    case .unstable: "it changed while it was read"
    case .exhausted: "no memory for secrets is left"
    }
  }
}
