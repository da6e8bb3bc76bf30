/// Standard output for many short lines.
struct BufferedOutput {
  private var bytes: [UInt8] = []
  private static let limit = 64 << 10

  mutating func write(_ text: String) {
    bytes += Array(text.utf8)
    flushIfFull()
  }

  mutating func write(line: Span<UInt8>) {
    bytes.reserveCapacity(bytes.count + line.count + 1)
    for i in 0..<line.count { bytes.append(line[i]) }
    bytes.append(0x0A)
    flushIfFull()
  }

  /// Writes what is left: to be called at the end.
  mutating func flush() {
    Output.write(bytes.span)
    bytes.removeAll(keepingCapacity: true)
  }

  private mutating func flushIfFull() {
    if bytes.count >= Self.limit { flush() }
  }
}
