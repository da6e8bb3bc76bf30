// PolicyReview: policies explained, compared, tried on recorded requests and suggested from them.
// It asks `Policy` and decides nothing itself.
// The daemon must not link it.

package import Format
package import Policy

/// Recorded requests under another policy, rates and quotas included. Its size grows with how
/// different the requests are, not with how many.
package struct PolicySimulation {
  package enum Outcome: Hashable, Sendable {
    case refused(Denial)
    /// The grant would cover the request, but is not in force at that time.
    case outsideHours(grant: String, Validity)
    case newlyAllowed(grant: String)
    /// Still allowed, but without these fields that were released then.
    case releasesLess([String])
  }

  /// Requests whose decision changed in the same way.
  package struct Finding: Sendable {
    package let caller: Caller
    package let opcode: Opcode
    package let label: String?
    package let outcome: Outcome
    package fileprivate(set) var count = 0
    package let firstSequence: UInt64
    package fileprivate(set) var lastSequence: UInt64
  }

  /// In the order in which they first came up.
  package private(set) var findings: [Finding] = []
  package private(set) var requestCount = 0
  private var places: [Place: Int] = [:]
  private let policy: Policy
  private let limits = UseLimits()

  package init(_ policy: Policy) { self.policy = policy }

  /// Whether a request would be refused or release less.
  package var takesAway: Bool {
    findings.contains { finding in
      switch finding.outcome {
      case .refused, .outsideHours, .releasesLess: true
      case .newlyAllowed: false
      }
    }
  }

  /// Has the policy decide the next request of the log, at the time of its record.
  package mutating func replay(_ request: RecordedRequest) {
    requestCount += 1
    guard let outcome = outcome(of: request) else { return }
    let question = request.question
    let place = Place(
      caller: question.caller, opcode: question.opcode, label: question.label, outcome: outcome)
    let index = places[place] ?? findings.count
    if index == findings.count {
      places[place] = index
      findings.append(
        Finding(
          caller: question.caller, opcode: question.opcode, label: question.label, outcome: outcome,
          firstSequence: request.sequence,
          lastSequence: request.sequence))
    }
    findings[index].count += 1
    findings[index].lastSequence = request.sequence
  }

  private func outcome(of request: RecordedRequest) -> Outcome? {
    let question = request.question
    let key = question.label.map { KeyTarget(id: request.key ?? .none, label: $0) }
    // Records of one batch have one time, and rates count by another clock, so a caller close to a
    // rate may be decided differently.
    let moment = Moment(
      question.time,
      MonotonicTime(
        nanoseconds: question.time.microseconds.multipliedReportingOverflow(by: 1000).partialValue))
    let covering = policy.covering(
      question.caller, question.opcode, key: key.map(NamedKey.known) ?? .none)
    let decision = covering.decide(at: moment, limits: limits, isRetry: request.isRetry)
    switch consume decision {
    case .deny(let denial): return request.wasAllowed ? refusal(denial, of: question) : nil
    case .allow(let grant):
      guard request.wasAllowed else { return .newlyAllowed(grant: grant.id) }
      let given = grant.released.fields.map(\.name) + grant.secrets.secrets.map(\.name)
      let missing = request.released.filter { !given.contains($0) }
      return missing.isEmpty ? nil : .releasesLess(missing)
    }
  }

  private func refusal(_ denial: Denial, of question: Question) -> Outcome {
    let explanation = policy.explain(
      question.caller, question.opcode, label: question.label, at: question.time)
    guard denial == .noGrant,
      let near = explanation.nearMisses.first(where: { $0.missing == [.time] })
    else { return .refused(denial) }
    return .outsideHours(grant: near.rule.id, near.rule.validity)
  }

  private struct Place: Hashable {
    let caller: Caller
    let opcode: Opcode
    let label: String?
    let outcome: Outcome
  }
}
