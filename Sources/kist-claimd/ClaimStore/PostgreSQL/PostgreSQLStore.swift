import Format
import Host

/// Claims in a table of PostgreSQL, which is printed by `PostgreSQLSchema`.
final class PostgreSQLStore: ClaimEngine {
  private let settings: PostgreSQLSettings
  private var session: Session?
  /// Of the last one that it was opened for, in UTF-8.
  private var host: [UInt8] = []
  private var run: [UInt8] = []
  /// How often it was opened; each time another of several servers is tried first.
  private var attempts = 0

  init(_ settings: PostgreSQLSettings) { self.settings = settings }

  func close() { session = nil }

  func open(as claimant: Claimant) throws(StoreFailure) {
    close()
    host = Array(claimant.host.text.utf8)
    run = claimant.run.bigEndianBytes
    let options = settings.connection.options(
      attempt: attempts, application: "kist-claimd \(claimant.host.text)")
    attempts += 1
    let deadline = Monitor.now + settings.connectNanoseconds
    let session = try Session(options, until: deadline)
    // The server ends a session whose client is gone, and with it the hold on the name.
    _ = try session.run(Query.ofClaims.map { .prepare($0) }, until: deadline)
    try check(try session.run([.run(.settings)], until: deadline).last)
    var row = Row(try session.run([.run(.name, [host])], until: deadline).first?.rows.first ?? [])
    guard try row.boolean() else { throw .nameIsTaken }
    self.session = session
    _ = try look()
  }

  func hold(_ claims: [Claim], under key: ClaimDigest) throws(StoreFailure) -> [StoredClaim] {
    let deadline = Monitor.now + settings.answerNanoseconds
    var stored = try insert(claims, under: key, until: deadline)
    let others = claims.filter { stored[ClaimKey($0)] == nil }
    if !others.isEmpty { stored.merge(try read(others, until: deadline)) { $1 } }
    let held = claims.compactMap { stored[ClaimKey($0)] }
    guard held.count == claims.count else { throw .misunderstood }
    return held
  }

  func look() throws(StoreFailure) -> StoreSight {
    let deadline = Monitor.now + settings.answerNanoseconds
    let clock = try currentClock(until: deadline)
    let today = UInt32(clamping: clock / 86_400_000)
    let answers = try transact(
      [mark(today), .run(.lastWrites, [today.bigEndianBytes])], until: deadline)
    var lastWrites: [HostName: UInt64] = [:]
    for values in answers[2].rows {
      var row = Row(values)
      guard let host = HostName(try row.text()) else { throw .misunderstood }
      lastWrites[host] = UInt64(clamping: try row.integer())
    }
    return StoreSight(clockMilliseconds: clock, lastWrites: lastWrites)
  }

  // MARK: claims

  /// Claims what nobody has; returns what of it. [FLEET-STORE-2]
  private func insert(_ claims: [Claim], under key: ClaimDigest, until deadline: Int64)
    throws(StoreFailure) -> [ClaimKey: StoredClaim]
  {
    let columns = [
      BinaryValue.days(claims), BinaryValue.digests(claims), BinaryValue.retryDigests(claims), host,
      Self.random(16), run,
    ]
    return try stored(
      transact([.run(.useKey, [key.bytes]), .run(.insert, columns)], until: deadline)[2])
  }

  /// Who has claims that were there before; the transaction writes, too, so that its commit says
  /// that the standby has what it read. [FLEET-STORE-4]
  private func read(_ claims: [Claim], until deadline: Int64) throws(StoreFailure) -> [ClaimKey:
    StoredClaim]
  {
    let columns = [BinaryValue.days(claims), BinaryValue.digests(claims)]
    return try stored(transact([mark(claims[0].day), .run(.read, columns)], until: deadline)[2])
  }

  private func stored(_ answer: Answer) throws(StoreFailure) -> [ClaimKey: StoredClaim] {
    var stored: [ClaimKey: StoredClaim] = [:]
    for values in answer.rows {
      var row = Row(values)
      let key = ClaimKey(day: UInt32(clamping: try row.integer()), try row.digest())
      stored[key] = try StoredClaim(&row)
    }
    return stored
  }

  /// Writes a row with no meaning.
  private func mark(_ day: UInt32) -> Statement {
    .run(
      .mark,
      [day.bigEndianBytes, Self.random(32), host, ClaimDigest.zero.bytes, Self.random(16), run])
  }

  // MARK: transactions

  /// Runs `statements` as one transaction; returns the answers of these and of `BEGIN` before them.
  private func transact(_ statements: [Statement], until deadline: Int64) throws(StoreFailure)
    -> [Answer]
  {
    // The settings come after the commit: whoever empties the list of standbys lets those go that
    // wait for one.
    return try keepingOnlyIfRefused { session throws(StoreFailure) in
      let answers = try session.run(
        [.run(.begin)] + statements + [.run(.commit), .run(.settings)], until: deadline)
      if let notice = session.notice { throw .unclear(notice) }
      guard answers[statements.count + 1].tag == "COMMIT" else {
        throw .unclear(answers[statements.count + 1].tag)
      }
      try check(answers.last)
      return answers
    }
  }

  private func currentClock(until deadline: Int64) throws(StoreFailure) -> Int64 {
    try keepingOnlyIfRefused { session throws(StoreFailure) in
      try check(try session.run([.run(.settings)], until: deadline).last)
    }
  }

  /// Rolls back what was refused; after anything else the session is over.
  private func keepingOnlyIfRefused<R>(_ body: (Session) throws(StoreFailure) -> R)
    throws(StoreFailure) -> R
  {
    guard let session else { throw .lost("it is closed") }
    do throws(StoreFailure) { return try body(session) } catch .refused(let text) {
      do throws(StoreFailure) {
        _ = try session.run([.run(.rollback)], until: Monitor.now + settings.answerNanoseconds)
      } catch {
        close()
        throw error
      }
      throw .refused(text)
    } catch {
      close()
      throw error
    }
  }

  /// Returns the store's clock, if it is one that keeps what it acknowledges [FLEET-STORE-6].
  @discardableResult
  private func check(_ answer: Answer?) throws(StoreFailure) -> Int64 {
    var row = Row(answer?.rows.first ?? [])
    let standbys = try row.text()
    let commit = try row.text()
    guard try !row.boolean() else { throw .unfit(.isReadOnly) }
    guard !settings.wantsStandby || standbys.contains(where: { $0 != " " }) else {
      throw .unfit(.hasNoStandby)
    }
    guard commit == "on" || commit == "remote_apply" else { throw .unfit(.commitsWithoutStandby) }
    return try row.integer()
  }

  private static func random(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count / 8).flatMap { _ in generator.next().bigEndianBytes }
  }
}

extension StoredClaim {
  fileprivate init(_ row: inout Row) throws(StoreFailure) {
    guard let host = HostName(try row.text()) else { throw .misunderstood }
    let claimant = Claimant(host: host, run: UInt64(bitPattern: try row.integer()))
    self.init(
      claimant, retryDigest: try row.digest(), ageMilliseconds: UInt64(clamping: try row.integer()))
  }
}

extension Row {
  fileprivate mutating func digest() throws(StoreFailure) -> ClaimDigest {
    let bytes = try bytes()
    guard let digest = ClaimDigest(bytes.span) else { throw .misunderstood }
    return digest
  }
}
