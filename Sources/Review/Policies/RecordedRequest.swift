package import Audit
package import Configuration
import Format
import Policy

/// A request of the log that policy decided.
package struct RecordedRequest: Sendable {
  package let question: Question
  let wasAllowed: Bool
  /// What the reply released of all that a grant can let out.
  package let released: [String]
  /// What was sealed into the envelope that it released.
  package let sealed: [String]
  package let sequence: UInt64
  package let grant: String?
  let key: KeyID?
  /// Whether it repeated one before, which quotas do not count.
  let isRetry: Bool

  /// nil for events, for requests that never reached policy, and for operations that this version
  /// does not have.
  ///
  /// - Parameter callers: supplies the groups, which are not on the record.
  package init?(_ record: Record, _ callers: RecordedCallers) {
    guard let opcode = record.opcode, let decision = record.policy, let actor = record.actor,
      let caller = callers.caller(actor, decision.group)
    else {
      return nil
    }
    // Refused because of the key or the socket, whatever the policy says.
    if let denial = decision.denial, Self.denialsBesidesPolicy.contains(denial) { return nil }
    question = Question(caller, opcode, label: record.label, at: record.time)
    wasAllowed = decision.isAllowed
    sequence = record.sequence
    grant = decision.grant
    key = record.key
    isRetry = record.inputs.isRepetition
    let releasable =
      opcode.releasable.fields.map(\.name)
      + ReleasedSecret.allCases.filter { $0.opcode == opcode }.map(\.name)
    released = record.released.filter { releasable.contains($0) }
    sealed = opcode.traits.releases == .tokenFields ? record.inputs.sealed.fields.map(\.name) : []
  }

  private static let denialsBesidesPolicy = [Denial.unknownKey, .wrongSocket, .subordinateUser].map(
    \.name)
}

/// Builds callers from what the log says of them.
///
/// The log has a caller's user, primary group and the group by which a grant covered it; its other
/// groups are taken from today's accounts.
package final class RecordedCallers {
  private let accounts: Accounts
  private var groups: [String: [UInt32]] = [:]

  package init(_ accounts: Accounts) { self.accounts = accounts }

  /// - Parameter group: by which a grant covered the caller.
  func caller(_ actor: Record.Actor, _ group: Int64?) -> Caller? {
    guard let uid = UInt32(exactly: actor.uid), let gid = UInt32(exactly: actor.gid) else {
      return nil
    }
    var others = (actor.name ?? accounts.userName(uid)).map(groups) ?? []
    if let group = group.flatMap({ UInt32(exactly: $0) }), !others.contains(group) {
      others.append(group)
    }
    // The process does not matter here.
    return Caller(
      uid: uid, gid: gid, groups: others.filter { $0 != gid }, pid: 0, unit: actor.unit,
      executable: actor.executable,
      owner: actor.owner.flatMap { UInt32(exactly: $0) }, name: actor.name,
      ownerName: actor.ownerName)
  }

  private func groups(of name: String) -> [UInt32] {
    if let known = groups[name] { return known }
    let found = accounts.groups(name) ?? []
    groups[name] = found
    return found
  }
}
