internal import Format
internal import Host

/// Makes and drops partitions, as the role that owns them.
enum Partitions {
  struct Change: Sendable, Hashable {
    let made, dropped: Int
  }

  /// - Parameters:
  ///   - ahead: how many days from today on have a partition afterwards.
  ///   - keep: how many days before today have one still.
  static func make(_ connection: StoreConnection, ahead: Int, keep: Int) throws(StoreFailure) -> Change {
    let deadline = Monitor.now + 30_000_000_000
    let session = try Session(connection.options(attempt: 0, application: "kist-claimd partitions"), until: deadline)
    let days = [ahead, keep].map { UInt32(clamping: $0).bigEndianBytes }
    let answers = try session.run([.prepare(.partitions), .run(.partitions, days)], until: deadline)
    var row = Row(answers[1].rows.first ?? [])
    return Change(made: Int(try row.integer()), dropped: Int(try row.integer()))
  }
}
