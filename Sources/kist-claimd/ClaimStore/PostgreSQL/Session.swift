import CPostgreSQL
import Format
import Glibc
import Host

/// A connection to one server, on which no call waits longer than its deadline; those are in
/// nanoseconds of `Monitor.now`.
///
/// Ending it is all that ends a wait: a wait for the standby that is cancelled reports success
/// [FLEET-STORE-5].
@safe final class Session {
  private let connection: OpaquePointer
  private let notices = Notices()

  /// The server's words, on one line.
  private final class Notices { var texts: [String] = [] }

  init(_ options: [ConnectionOption], until deadline: Int64) throws(StoreFailure) {
    guard let connection = unsafe Self.start(options) else { throw .unreachable("out of memory") }
    unsafe self.connection = connection
    unsafe PQsetNoticeReceiver(
      connection,
      { place, result in
        guard let place = unsafe place else { return }
        unsafe Unmanaged<Notices>.fromOpaque(place).takeUnretainedValue().texts.append(
          Session.line(PQresultErrorMessage(result)))
      }, Unmanaged.passUnretained(notices).toOpaque())
    try finishConnecting(until: deadline)
    guard unsafe PQsetnonblocking(connection, 1) == 0, unsafe PQenterPipelineMode(connection) == 1
    else { throw lost }
  }

  deinit { unsafe PQfinish(connection) }

  /// Sends all statements at once and waits for all answers.
  ///
  /// - Throws: `.refused` or `.failed` if the server refused one; those behind it were not run, and
  ///   a transaction that was begun is to be rolled back.
  func run(_ statements: [Statement], until deadline: Int64) throws(StoreFailure) -> [Answer] {
    notices.texts = []
    for statement in statements {
      guard send(statement) else { throw lost }
    }
    guard unsafe PQpipelineSync(connection) == 1 else { throw lost }
    try flush(until: deadline)
    var answers: [Answer] = []
    var refusal: StoreFailure?
    while let result = unsafe try nextResult(until: deadline) {
      defer { unsafe PQclear(result) }
      switch unsafe PQresultStatus(result) {
      case PGRES_PIPELINE_SYNC:
        if let refusal { throw refusal }
        guard answers.count == statements.count else { throw .misunderstood }
        return answers
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK: unsafe answers.append(Answer(result))
      // What follows a refused statement.
      case PGRES_PIPELINE_ABORTED: break
      default: unsafe refusal = refusal ?? Self.refusal(result)
      }
    }
    throw lost
  }

  /// What the server said besides the answers of the last run; nil if nothing.
  var notice: String? { notices.texts.first }

  // MARK: connecting

  private static func start(_ options: [ConnectionOption]) -> OpaquePointer? {
    let texts = unsafe options.map { unsafe (strdup($0.keyword), strdup($0.value)) }
    defer {
      unsafe texts.forEach {
        unsafe free($0.0); unsafe free($0.1)
      }
    }
    let keywords = unsafe texts.map { unsafe UnsafePointer($0.0) } + [nil]
    let values = unsafe texts.map { unsafe UnsafePointer($0.1) } + [nil]
    // The first option is a connection string, which those behind it override.
    return unsafe PQconnectStartParams(keywords, values, 1)
  }

  private func finishConnecting(until deadline: Int64) throws(StoreFailure) {
    guard unsafe PQstatus(connection) != CONNECTION_BAD else { throw unreachable }
    var status = PGRES_POLLING_WRITING
    while status != PGRES_POLLING_OK {
      switch status {
      case PGRES_POLLING_READING: try wait(POLLIN, until: deadline)
      case PGRES_POLLING_WRITING: try wait(POLLOUT, until: deadline)
      default: throw unreachable
      }
      status = unsafe PQconnectPoll(connection)
    }
  }

  // MARK: asking

  private func send(_ statement: Statement) -> Bool {
    switch statement.kind {
    case .prepare(let query, let types):
      return unsafe PQsendPrepare(connection, statement.name, query, Int32(types.count), types) == 1
    case .run(let values):
      let bytes = values.flatMap { $0 }
      let lengths = values.map { Int32($0.count) }
      let formats = [Int32](repeating: 1, count: values.count)
      return unsafe bytes.withUnsafeBytes { all in
        var place = unsafe all.baseAddress?.assumingMemoryBound(to: CChar.self)
        let starts = unsafe values.map { value in
          defer { unsafe place = place?.advanced(by: value.count) }
          return unsafe place
        }
        return unsafe PQsendQueryPrepared(
          connection, statement.name, Int32(values.count), starts, lengths, formats, 1) == 1
      }
    }
  }

  private func flush(until deadline: Int64) throws(StoreFailure) {
    while true {
      switch unsafe PQflush(connection) {
      case 0: return
      // Reads meanwhile, lest both sides wait for the other to read.
      case 1:
        try wait(POLLIN | POLLOUT, until: deadline)
        guard unsafe PQconsumeInput(connection) == 1 else { throw lost }
      default: throw lost
      }
    }
  }

  /// The next result, past the marks between statements; nil if there are no more.
  private func nextResult(until deadline: Int64) throws(StoreFailure) -> OpaquePointer? {
    for _ in 0..<2 {
      while unsafe PQisBusy(connection) == 1 {
        try wait(POLLIN, until: deadline)
        guard unsafe PQconsumeInput(connection) == 1 else { throw lost }
      }
      if let result = unsafe PQgetResult(connection) { return unsafe result }
    }
    return nil
  }

  private func wait(_ events: Int32, until deadline: Int64) throws(StoreFailure) {
    var place = unsafe pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
    while true {
      let rest = (deadline - Monitor.now + 999_999) / 1_000_000
      guard rest > 0 else { throw .noAnswerInTime }
      let count = unsafe poll(&place, 1, Int32(clamping: rest))
      if count > 0 { return }
      guard count == 0 || errno == EINTR else { throw lost }
    }
  }

  // MARK: what went wrong

  private var unreachable: StoreFailure {
    unsafe .unreachable(Self.line(PQerrorMessage(connection)))
  }
  private var lost: StoreFailure { unsafe .lost(Self.line(PQerrorMessage(connection))) }

  private static func refusal(_ result: OpaquePointer) -> StoreFailure {
    let text = unsafe line(PQresultErrorMessage(result))
    guard
      let code = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map({
        unsafe String(cString: $0)
      })
    else { return .lost(text) }
    // Integrity and partitions; serialization and deadlocks. Anything else would befall the next
    // transaction, too.
    return code.hasPrefix("23") || code.hasPrefix("40")
      ? .refused("\(code): \(text)") : .failed("\(code): \(text)")
  }

  private static func line(_ text: UnsafePointer<CChar>?) -> String {
    let lines =
      unsafe text.map { unsafe String(cString: $0) }?.split(whereSeparator: { $0.isNewline }) ?? []
    return Printable.line(String(lines.joined(separator: "; ").prefix(300)))
  }
}

/// What the server answered to one statement, copied out of the library.
struct Answer {
  /// Such as `COMMIT`.
  let tag: String
  /// Values in binary; nil for NULL.
  let rows: [[[UInt8]?]]

  init(_ result: OpaquePointer) {
    tag = unsafe PQcmdStatus(result).map { unsafe String(cString: $0) } ?? ""
    rows = unsafe (0..<PQntuples(result)).map { row in
      unsafe (0..<PQnfields(result)).map { column in
        guard unsafe PQgetisnull(result, row, column) == 0,
          let start = unsafe PQgetvalue(result, row, column)
        else { return nil }
        return unsafe Array(
          UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column))))
      }
    }
  }
}

/// One row's values, taken in order; each must have the form that its statement gives it.
struct Row {
  private var values: ArraySlice<[UInt8]?>

  init(_ values: [[UInt8]?]) { self.values = values[...] }

  mutating func bytes() throws(StoreFailure) -> [UInt8] {
    guard let value = values.popFirst(), let value else { throw .misunderstood }
    return value
  }

  mutating func text() throws(StoreFailure) -> String {
    String(decoding: try bytes(), as: UTF8.self)
  }

  mutating func integer() throws(StoreFailure) -> Int64 {
    let bytes = try bytes()
    guard bytes.count == 8 else { throw .misunderstood }
    return Int64(bigEndian: bytes.span, at: 0)
  }

  mutating func boolean() throws(StoreFailure) -> Bool {
    let bytes = try bytes()
    guard bytes.count == 1, bytes[0] < 2 else { throw .misunderstood }
    return bytes[0] == 1
  }
}
