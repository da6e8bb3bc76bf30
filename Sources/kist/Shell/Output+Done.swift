internal import Format

extension Output {
  /// Says that the daemon carried out the request, and the sequence of its record.
  static func done(_ what: String, _ sequence: UInt64?, _ arguments: Arguments) {
    guard arguments.has("json") else { return write(what + (sequence.map { " (audit record \($0))" } ?? "") + "\n") }
    write(["audit_sequence": sequence.map { .count($0) }, "ok": .bool(true)])
  }
}
