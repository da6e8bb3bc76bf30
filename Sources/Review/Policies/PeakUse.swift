package import Format
package import Policy

/// The most uses of each grant by any one user in any minute of the log.
package struct PeakUse {
  private let policy: Policy
  private var recent: [Bucket: [Timestamp]] = [:]
  private var peaks: [String: Int] = [:]
  /// The first and the last request counted.
  package private(set) var period: (from: Timestamp, to: Timestamp)?

  package init(_ policy: Policy) { self.policy = policy }

  /// Counts the next request of the log, if it was allowed and would be.
  package mutating func replay(_ request: RecordedRequest) {
    let question = request.question
    guard request.wasAllowed, case .allowed(let grant, _) = policy.answer(question) else { return }
    period = (period?.from ?? question.time, question.time)
    let bucket = Bucket(grant: grant, person: question.caller.person)
    let minuteAgo = question.time.adding(seconds: -60)
    recent[bucket, default: []].removeAll { $0 <= minuteAgo }
    recent[bucket, default: []].append(question.time)
    peaks[grant] = max(peaks[grant] ?? 0, recent[bucket]?.count ?? 0)
  }

  /// Twice the peak per minute; nil if that is more than a rate allows.
  ///
  /// A bucket as large as the peak would already be enough: any k minutes and a fraction of the log have at most k + 1
  /// peaks, and a bucket gives as many within k minutes.
  package func rate(of grant: String) -> Rate? { peaks[grant].flatMap { Rate("\(2 * $0)/m") } }

  private struct Bucket: Hashable {
    let grant: String
    let person: UInt32
  }
}
