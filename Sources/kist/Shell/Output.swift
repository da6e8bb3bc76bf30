import CLinux
import Format
import Glibc
import Host

/// The program's output; text and JSON never contain control characters for the terminal.
enum Output {
  static func write(_ text: String) { answer(Array(Printable.lines(text).utf8).span) }

  /// With the words that lines begin with in colours, if the terminal has them.
  static func write(_ text: String, _ colours: [String: Colour]) {
    guard Terminal.hasColours else { return write(text) }
    let coloured = Printable.lines(text).lines(omittingEmpty: false).map { (line) -> String in
      let word = line.prefix { $0 != " " && $0 != ":" }
      guard let colour = colours[String(word)] else { return String(line) }
      return "\u{1B}[\(colour.rawValue)m\(word)\u{1B}[m\(line.dropFirst(word.count))"
    }
    answer(Array(coloured.joined(separator: "\n").utf8).span)
  }

  /// One line of JSON.
  static func write(_ json: CanonicalJSON) {
    answer((Printable.json(json.serialised.span) + [UInt8(ascii: "\n")]).span)
  }

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
    unsafe bytes.withUnsafeBytes {
      unsafe kist_write_all(descriptor, $0.baseAddress, $0.count) == 0
    } ? nil : errno
  }
}

extension Arguments {
  /// Writes an answer in JSON if `--json` asks for that, else in words.
  func answer(
    _ json: @autoclosure () -> CanonicalJSON, _ text: @autoclosure () -> String,
    colours: [String: Colour] = [:]
  ) {
    if has("json") { Output.write(json()) } else { Output.write(text(), colours) }
  }
}

extension Output {
  /// Says that the daemon carried out the request, and the sequence of its record.
  static func done(_ what: String, _ sequence: UInt64?, _ arguments: Arguments) {
    guard arguments.has("json") else {
      return write(what + (sequence.map { " (audit record \($0))" } ?? "") + "\n")
    }
    write(["audit_sequence": sequence, "ok": true])
  }
}

extension Output {
  /// Writes a page to a file, and replaces an existing one; `-` is standard output.
  static func write(page: String, to path: String) throws(CommandFailure) {
    let bytes = Array(page.utf8)
    guard path != "-" else { return write(bytes.span) }
    let file = try replaceable(path)
    let slash = file.lastIndex(of: "/")
    let folder = slash.map { String(file[..<$0]) } ?? "."
    let name = slash.map { String(file[file.index(after: $0)...]) } ?? file
    do throws(DiskError) {
      try DurableFile.replace(
        name, in: folder.isEmpty ? "/" : folder, with: bytes.span, on: LinuxDisk())
    } catch { throw .failed("\(path): \(error.text)") }
  }

  /// The file at a path, or behind its links; it may be absent.
  ///
  /// - Throws: for a device, a FIFO or the like: a rename would put a file in its place, for every
  ///   program on the host.
  private static func replaceable(_ path: String) throws(CommandFailure) -> String {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return path }
    guard let target = unsafe realpath(path, nil) else {
      throw .failed("\(path): \(SystemError.text(errno))")
    }
    defer { unsafe free(target) }
    guard unsafe lstat(target, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .failed("\(path): \(DiskError.notRegular.text); - is standard output")
    }
    return unsafe String(cString: target)
  }
}

extension Arguments {
  /// The file of `--html`.
  func page() throws(CommandFailure) -> String? {
    guard value("html") != "-" || !has("json") else {
      throw .usage("--html - and --json exclude each other")
    }
    return value("html")
  }
}

/// Standard output for many short lines.
struct BufferedOutput {
  private var bytes: [UInt8] = []
  private static let limit = 64 << 10

  /// - Parameter line: printable, with its line end.
  mutating func write(line: String) {
    bytes += Array(line.utf8)
    flushIfFull()
  }

  /// - Parameter json: one line, without its end.
  mutating func write(json: Span<UInt8>) {
    bytes += Printable.json(json)
    bytes.append(UInt8(ascii: "\n"))
    flushIfFull()
  }

  /// Writes what is left; call it at the end.
  mutating func flush() {
    Output.write(bytes.span)
    bytes.removeAll(keepingCapacity: true)
  }

  private mutating func flushIfFull() {
    if bytes.count >= Self.limit { flush() }
  }
}

extension Printable {
  /// The number of a character in JSON (RFC 8259 §7): one or two UTF-16 units.
  static func jsonNumber(_ scalar: Unicode.Scalar) -> String {
    UTF16.encode(scalar)?.reduce(into: "") {
      $0 += "\\u" + Hex.encode([UInt8($1 >> 8), UInt8(truncatingIfNeeded: $1)])
    } ?? ""
  }

  /// JSON without line breaks that means the same but has printable strings.
  static func json(_ text: Span<UInt8>) -> [UInt8] {
    let bytes = text.array
    if bytes.allSatisfy({ (0x20...0x7E).contains($0) }) { return bytes }
    // In JSON, non-ASCII characters occur only in strings.
    return Array(
      String(decoding: bytes, as: UTF8.self).unicodeScalars.map {
        isPrintable($0) ? String($0) : jsonNumber($0)
      }.joined().utf8)
  }
}
