internal import Encoding
internal import Glibc

/// What people and programs read; text and JSON never hold a character that steers a terminal.
enum Output {
  static func write(_ text: String) { write(STDOUT_FILENO, Array(Printable.lines(text).utf8).span) }

  /// One line of JSON.
  static func write(_ json: CanonicalJSON) { write(STDOUT_FILENO, (Printable.json(json.serialised.span) + [UInt8(ascii: "\n")]).span) }

  /// Bytes as they are.
  static func write(_ bytes: Span<UInt8>) { write(STDOUT_FILENO, bytes) }

  /// To standard error.
  static func complain(_ text: String) { write(STDERR_FILENO, Array(Printable.lines(text).utf8).span) }

  /// An answer that nobody can be given is a failure: a full disk must not pass for success.
  private static func write(_ descriptor: Int32, _ bytes: Span<UInt8>) {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { exit(1) }
      done += count
    }
  }
}
