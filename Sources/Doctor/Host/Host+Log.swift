internal import Audit
internal import Format
internal import Policy
internal import Review

extension Host {
  private var logPath: String { surroundings.root + (configuration?.audit.directory ?? "") }

  var log: LogReader { LogReader(LogDirectory(logPath, on: ArchiveDisk())) }

  /// When the oldest record that is left was written.
  var logBegan: Timestamp? {
    guard let first = try? log.directory.segments().first else { return nil }
    return try? log.beginning(of: first)?.time
  }

  /// The last record of one of these operations that was carried out.
  func lastRecord(of operations: [String]) -> Record? {
    let filters = operations.map { name in
      var filter = RecordFilter()
      (filter.operation, filter.result) = (name, "ok")
      return LineFilter(filter)
    }
    return lastRecord { line in filters.contains { (try? $0.record(in: line)) != nil } }
  }

  /// The SHA-256 of the `policy` or `configuration` that the daemon took last, in hexadecimal; nil if the log does not say.
  func taken(_ what: String) -> String? {
    let members = ["start": what, "\(what)-swap": "to"]
    let filters = members.keys.map { name in
      var filter = RecordFilter()
      filter.operation = name
      return LineFilter(filter)
    }
    guard let record = lastRecord(where: { line in filters.contains { (try? $0.record(in: line)) != nil } }) else { return nil }
    let member = record.event.first { $0.name == members[record.operation] }
    guard case .string(let digest) = member?.value else { return nil }
    return digest
  }

  /// Reads back from the log's end, one segment after another.
  func lastRecord(where isMeant: (Span<UInt8>) -> Bool) -> Record? {
    let found = try? LogText(logPath, on: ArchiveDisk()).last(1, where: isMeant)
    return found?.lines.last.flatMap { try? Record(parsing: $0.span) }
  }
}
