internal import Audit
internal import Encoding
internal import Storage

/// The records of a log in a directory, for people or as they stand.
struct AuditRecords {
  private let directory: String
  private let reader: LogReader
  private let inJSON: Bool

  init(_ directory: String, inJSON: Bool) {
    (self.directory, self.inJSON) = (directory, inJSON)
    reader = LogReader(LogDirectory(directory))
  }

  /// The sequence behind the last record.
  func end() throws(CommandFailure) -> UInt64 {
    try read { (reader) throws(AuditError) in try reader.end() }
  }

  /// Prints every record from that sequence on.
  ///
  /// - Returns: the sequence behind the last.
  func print(from sequence: UInt64) throws(CommandFailure) -> UInt64 {
    var next = sequence
    try read { (reader) throws(AuditError) in
      try reader.forEachRecord(from: sequence) { record, line in
        write(record, line)
        next = record.sequence + 1
        return true
      }
    }
    return next
  }

  private func write(_ record: Record, _ line: Span<UInt8>) {
    guard inJSON else { return Output.write(HumanLine.text(record) + "\n") }
    Output.write((line.array + [UInt8(ascii: "\n")]).span)
  }

  private func read<R>(_ body: (LogReader) throws(AuditError) -> R) throws(CommandFailure) -> R {
    do throws(AuditError) {
      return try body(reader)
    } catch { throw .audit(error, directory) }
  }
}
