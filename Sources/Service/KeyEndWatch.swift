internal import Audit
internal import Encoding
internal import KeyStore
internal import Policy
internal import SecretMemory
internal import Wire

/// Tells of each key's end thirty, fifteen and seven days before, and when it is there; each once in an unlocking.
final class KeyEndWatch: @unchecked Sendable {
  /// Days before the end.
  private static let marks: [Int64] = [30, 15, 7, 0]

  private let lock = Lock()
  /// The last mark that each key came to; guarded by `lock`.
  private var told: [KeyID: Int64] = [:]

  /// Keys in use that have come to another mark, with the whole days that are left; negative where it is over.
  func due(_ records: [KeyRecord], at now: Timestamp) -> [(key: KeyTarget, days: Int64)] {
    lock.withLock {
      records.compactMap { record -> (KeyTarget, Int64)? in
        guard record.state == .preActive || record.state == .active, let days = record.notAfter?.days(after: now) else { return nil }
        guard let mark = Self.marks.last(where: { days < $0 }), mark < told[record.id] ?? .max else { return nil }
        told[record.id] = mark
        return (KeyTarget(id: record.id, label: record.label.text), days)
      }
    }
  }
}

extension Service {
  /// Puts on the record, and reports, which keys have come nearer to their end; whoever runs the service calls it about every hour.
  package func watchKeyEnds() {
    guard let serving else { return }
    let due = serving.keyEnds.due(serving.keys.records, at: settings.clock())
    guard !due.isEmpty else { return }
    var batch = Batch()
    for (key, days) in due { batch.add(Attempt(.keyEnding(key, days: days))) }
    // A log that takes nothing is told of by the requests that it refuses.
    _ = try? serving.commit(batch)
    for (key, days) in due { settings.report(.keyEnding(label: key.label, days: days)) }
  }
}
