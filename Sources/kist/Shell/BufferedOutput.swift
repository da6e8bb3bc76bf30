internal import Format

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
