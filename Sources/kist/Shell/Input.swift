import Glibc
import Host

/// An open file or descriptor, read without buffering, so that no copy stays in memory that is
/// never wiped.
struct Input: ~Copyable {
  /// For messages.
  let name: String
  private let descriptor: Int32
  private let isOwned: Bool

  /// - Parameters:
  ///   - path: `-` and `/dev/stdin` are standard input, and `/dev/fd/N` what the shell opened for
  ///     `<(command)`; what these are may be a pipe.
  ///   - access: a link is followed where the person named it, for certificates below /etc/ssl are
  ///     links; `read` for files that were found.
  init(path: String, _ access: FileAccess = .readFollowingLink) throws(CommandFailure) {
    if let passed = Self.passed(path) {
      self.init(descriptor: passed, name: passed == STDIN_FILENO ? "standard input" : path)
      return
    }
    do throws(DiskError) {
      self.init(descriptor: try LinuxDisk().open(path, access), name: path, isOwned: true)
    } catch { throw .unreadable(path, error) }
  }

  /// A descriptor that the caller closes.
  init(descriptor: Int32, name: String) {
    self.init(descriptor: descriptor, name: name, isOwned: false)
  }

  private init(descriptor: Int32, name: String, isOwned: Bool) {
    self.descriptor = descriptor
    self.name = name
    self.isOwned = isOwned
  }

  /// All of it, at most `limit` bytes.
  func contents(limit: Int) throws(CommandFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var span = bytes.mutableSpan
    let count = try read(into: &span)
    guard count <= limit else { throw tooLong(limit) }
    return Array(bytes.prefix(count))
  }

  /// All of it, at most `limit` bytes, read directly into secret memory.
  func secretContents(limit: Int) throws(CommandFailure) -> SecretBuffer {
    var buffer = try onMemory(SecretBuffer(count: limit + 1))
    var span = buffer.mutableBytes
    let count = try read(into: &span)
    guard count <= limit else { throw tooLong(limit) }
    return try onMemory(SecretBuffer(copying: buffer.bytes.extracting(first: count)))
  }

  /// The only line, without its newline, read directly into secret memory.
  ///
  /// - Parameter isTyped: whether the end of the input is an error, and not an empty line, since
  ///   nobody is there any more.
  func secretLine(limit: Int, isTyped: Bool = false) throws(CommandFailure) -> SecretBuffer {
    var buffer = try onMemory(SecretBuffer(count: limit + 1))
    var span = buffer.mutableBytes
    var count = try read(into: &span, until: Self.newline)
    guard count > 0 || !isTyped else { throw .failed("given up: the terminal's input ended") }
    if count > 0, buffer.bytes[count - 1] == Self.newline { count -= 1 }
    guard count <= limit else { throw tooLong(limit) }
    for i in 0..<count where buffer.bytes[i] == Self.newline {
      throw .failed("\(name): more than one line")
    }
    return try onMemory(SecretBuffer(copying: buffer.bytes.extracting(first: count)))
  }

  /// The next line, without its newline; nothing of it is secret.
  ///
  /// - Throws: also at the end of the input, since nobody is there any more.
  func line(limit: Int) throws(CommandFailure) -> String {
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var span = bytes.mutableSpan
    let count = try read(into: &span, until: Self.newline)
    guard count > 0 else { throw .failed("\(name): at its end") }
    guard bytes[count - 1] == Self.newline else { throw tooLong(limit) }
    return String(decoding: bytes[..<(count - 1)], as: UTF8.self)
  }

  /// Whether reading the path would find something, be it an error other than that there is
  /// nothing.
  static func isThere(_ path: String) -> Bool {
    do throws(DiskError) {
      _ = try File(path, .read, on: LinuxDisk())
      return true
    } catch { return !error.isAbsence }
  }

  /// The descriptor that was open before this program began; nil for any other path.
  private static func passed(_ path: String) -> Int32? {
    switch path {
    case "-", "/dev/stdin": STDIN_FILENO
    case _ where path.hasPrefix("/dev/fd/"): Int32(path.dropFirst("/dev/fd/".count))
    default: nil
    }
  }

  deinit { if isOwned { LinuxDisk().close(descriptor) } }
}

extension Input {
  private static let newline = UInt8(ascii: "\n")

  /// Reads until the buffer is full, the input ends, or a read's last byte is `last`.
  private func read(into buffer: inout MutableSpan<UInt8>, until last: UInt8? = nil)
    throws(CommandFailure) -> Int
  {
    var done = 0
    while done < buffer.count {
      let got = unsafe buffer.withUnsafeMutableBytes { rest in
        unsafe Glibc.read(descriptor, rest.baseAddress?.advanced(by: done), rest.count - done)
      }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw .unreadable(name, DiskError(.read, errno: errno)) }
      if got == 0 { break }
      done += got
      if let last, buffer[done - 1] == last { break }
    }
    return done
  }

  private func tooLong(_ limit: Int) -> CommandFailure {
    .failed("\(name): longer than \(limit) bytes")
  }
}
