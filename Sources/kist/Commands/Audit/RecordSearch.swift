import Audit
import Crypto
import Format
import Host
import Policy
import Review

/// Prints or counts the records of a log that match.
struct RecordSearch {
  enum Form {
    case text, json, csv

    static let options: [Option] = [.json, .flag("csv")]

    init(_ arguments: Arguments) throws(CommandFailure) {
      switch (arguments.has("json"), arguments.has("csv")) {
      case (true, true): throw .usage("--json and --csv exclude each other")
      case (true, false): self = .json
      case (false, true): self = .csv
      case (false, false): self = .text
      }
    }
  }

  private let directory: String
  private let form: Form
  private let log: LogText
  /// The file that has the last record that was printed or passed over.
  private let cursor: String?

  /// - Throws: if there is no log in the directory.
  init(_ directory: String, _ form: Form, cursor: String? = nil) throws(CommandFailure) {
    try AuditDirectory.requireLog(directory)
    self.directory = directory
    self.form = form
    log = LogText(reading: directory)
    self.cursor = cursor
  }

  /// The place after the record that a cursor has; the log's beginning if there is no such file
  /// yet.
  func place(of cursor: String) throws(CommandFailure) -> LogText.Place {
    guard Input.isThere(cursor) else { return .start }
    let line = try Array(Input(path: cursor).contents(limit: 1 << 16).dropLast())
    guard let sequence = (try? Record(parsing: line.span))?.sequence else {
      throw .failed("\(cursor): not a cursor, which is a record and a newline")
    }
    guard let found = try onDisk(log.find(sequence)) else { throw try absent(sequence) }
    guard found.line == line else {
      throw .failed(
        "\(cursor): of another log: record \(sequence) of \(directory) is a different one")
    }
    return found.end
  }

  func print(only sequence: UInt64) throws(CommandFailure) {
    let found: [UInt8]?
    do throws(LogTextError) { found = try log.line(of: sequence) } catch { throw failure(error) }
    guard let line = found, let record = try? Record(parsing: line.span) else {
      throw try absent(sequence)
    }
    var output = BufferedOutput()
    begin(&output)
    write(record, line.span, into: &output)
    output.flush()
  }

  private func absent(_ sequence: UInt64) throws(CommandFailure) -> CommandFailure {
    switch try onDisk(log.absence(of: sequence)) {
    case .removed(let oldest):
      return .failed(
        "\(directory): record \(sequence) was removed with its segment; the log begins with record \(oldest)"
      )
    case .missing:
      return .failed(
        "\(directory): record \(sequence) is missing, and later ones are there; see kist audit verify"
      )
    case .beyondEnd: return .failed("\(directory): no record \(sequence)")
    }
  }

  /// Prints the records that match the filter, with the heading if it starts at the log's
  /// beginning.
  ///
  /// - Returns: the place after the log's last line.
  @discardableResult func print(_ filter: RecordFilter, from place: LogText.Place = .start)
    throws(CommandFailure) -> LogText.Place
  {
    let filter = LineFilter(filter)
    var output = BufferedOutput()
    if place == .start { begin(&output) }
    var isReadable = true
    var last: [UInt8] = []
    let end = try onDisk(
      log.forEachLine(from: place) { line in
        if cursor != nil { last = line.array }
        do throws(CanonicalJSONError) {
          if let record = try filter.record(in: line) { write(record, line, into: &output) }
        } catch { isReadable = false }
        return isReadable
      })
    output.flush()
    guard isReadable else { throw unreadable }
    if let cursor, (try? Record(parsing: last.span)) != nil {
      try Output.write(page: String(decoding: last, as: UTF8.self) + "\n", to: cursor)
    }
    return end
  }

  /// Prints the last records that match the filter.
  ///
  /// - Returns: the place after the log's last line.
  func print(last count: Int, _ filter: RecordFilter) throws(CommandFailure) -> LogText.Place {
    let filter = LineFilter(filter)
    var isReadable = true
    let found = try onDisk(
      log.last(count) { line in
        do throws(CanonicalJSONError) { return try filter.record(in: line) != nil } catch {
          isReadable = false
        }
        return false
      })
    var output = BufferedOutput()
    begin(&output)
    for line in found.lines {
      if let record = try? Record(parsing: line.span) { write(record, line.span, into: &output) }
    }
    output.flush()
    guard isReadable else { throw unreadable }
    return found.end
  }

  /// Visits every record.
  func forEachRecord(_ visit: (Record) -> Void) throws(CommandFailure) {
    var isReadable = true
    _ = try onDisk(
      log.forEachLine { line in
        guard let record = try? Record(parsing: line) else {
          isReadable = false
          return false
        }
        visit(record)
        return true
      })
    guard isReadable else { throw unreadable }
  }

  private var unreadable: CommandFailure {
    .failed("\(directory): a line is not a record; see kist audit verify")
  }

  private func begin(_ output: inout BufferedOutput) {
    if form == .csv { output.write(line: RecordCSV.heading) }
  }

  private func write(_ record: Record, _ line: Span<UInt8>, into output: inout BufferedOutput) {
    switch form {
    case .text: output.write(line: HumanLine.text(record) + "\n")
    case .csv: output.write(line: RecordCSV.row(record))
    case .json: output.write(json: line)
    }
  }

  private func onDisk<R>(_ body: @autoclosure () throws(DiskError) -> R) throws(CommandFailure) -> R
  {
    do throws(DiskError) { return try body() } catch { throw failure(.disk(error)) }
  }

  private func failure(_ error: LogTextError) -> CommandFailure {
    switch error {
    case .disk(let error): .unreadable(directory, error)
    case .form(let sequence):
      .failed(
        "\(directory): near record \(sequence) is a line that is not a record; see kist audit verify"
      )
    }
  }
}

extension RecordFilter {
  static let options: [Option] = [
    "since", "until", "user", "unit", "op", "key", "grant", "result", "stage", "digest", "claim",
    "request",
  ]

  init(_ arguments: Arguments) throws(CommandFailure) {
    self.init()
    (since, until) = try arguments.period()
    unit = arguments.value("unit")
    operation = arguments.value("op")
    grant = arguments.value("grant")
    stage = arguments.value("stage")
    request = arguments.value("request").map(RequestName.init)
    user = arguments.value("user").map { text in UInt32(text).map { .number($0) } ?? .name(text) }
    if let name = arguments.value("result") {
      guard Status.allCases.contains(where: { $0.name == name }) else {
        throw .usage(
          "unknown result '\(name)'; there are \(Status.allCases.map(\.name).joined(separator: ", "))"
        )
      }
      result = name
    }
    key = try arguments.value(
      "key", "a label, a prefix such as merchant/acme/*, or an id", Self.key)
    // What was given may be an account number, which the complaint must not repeat.
    digest = arguments.value("digest").flatMap(KeyedDigest.init)
    guard digest != nil || !arguments.has("digest") else {
      throw .usage("--digest takes hmac-sha256: and 64 digits, as records have them")
    }
    claim = try arguments.value(
      "claim", "the 64 digits that records of a fleet's hosts have", Digest256.init(hex:))
  }

  private static func key(_ text: String) -> KeyCondition? {
    if text.utf8.count == 2 * KeyID.byteCount, let bytes = Hex.decode(text),
      let id = KeyID(prefixOf: bytes.span)
    {
      return .id(id)
    }
    return KeyPattern(text).map { .label($0) }
  }
}
