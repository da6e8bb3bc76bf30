internal import CLinux
internal import Format
internal import Glibc
internal import Host

/// The program's output; text and JSON never contain control characters for the terminal.
enum Output {
  static func write(_ text: String) { answer(Array(Printable.lines(text).utf8).span) }

  /// One line of JSON.
  static func write(_ json: CanonicalJSON) { answer((Printable.json(json.serialised.span) + [UInt8(ascii: "\n")]).span) }

  /// Bytes, unchanged.
  static func write(_ bytes: Span<UInt8>) { answer(bytes) }

  /// To standard error.
  static func complain(_ text: String) {
    ProgressLine.clear()
    _ = send(Array(Printable.lines(text).utf8).span, to: STDERR_FILENO)
  }

  /// To standard error, unchanged.
  static func draw(_ text: String) { _ = send(Array(text.utf8).span, to: STDERR_FILENO) }

  /// Output that cannot be written is a failure, so that a full disk does not look like success.
  private static func answer(_ bytes: Span<UInt8>) {
    ProgressLine.clear()
    guard let code = send(bytes, to: STDOUT_FILENO) else { return }
    // A reader that closed the pipe, as head does, has read enough.
    if code != EPIPE { complain("kist: standard output: \(SystemError.text(code))\n") }
    exit(1)
  }

  /// - Returns: the error if not everything was written, else nil.
  private static func send(_ bytes: Span<UInt8>, to descriptor: Int32) -> Int32? {
    unsafe bytes.withUnsafeBytes { unsafe kist_write_all(descriptor, $0.baseAddress, $0.count) == 0 } ? nil : errno
  }
}

extension Arguments {
  /// Writes an answer in JSON if `--json` asks for that, else in words.
  func answer(_ json: @autoclosure () -> CanonicalJSON, _ text: @autoclosure () -> String) {
    if has("json") { Output.write(json()) } else { Output.write(text()) }
  }
}
