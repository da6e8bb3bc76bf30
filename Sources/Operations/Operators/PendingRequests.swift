package import Audit
package import Crypto
package import Format
import Host
package import Policy

/// Requests that wait for an approval, and approvals that wait for their request to be repeated.
///
/// Kept only in memory: locking or a restart drops them, and with them all approvals.
package final class PendingRequests: @unchecked Sendable {
  /// Exactly what an approval covers.
  package struct Scope: Hashable, Sendable {
    let uid: UInt32
    let opcode: Opcode
    let key: KeyID
    let digest: Digest256

    package init(uid: UInt32, opcode: Opcode, key: KeyID, digest: Digest256) {
      self.uid = uid
      self.opcode = opcode
      self.key = key
      self.digest = digest
    }
  }

  /// What a person must know of a request to judge it, besides its operation and key.
  /// [OP-APPROVE-5]
  package enum Matter: Hashable, Sendable {
    /// The key that an `export-key` request would wrap the exported key under: whoever holds it can
    /// read that key.
    ///
    /// - Parameter checkValue: as in `KeyDescription`.
    case exchange(KeyID, label: String, checkValue: [UInt8])
    /// Whose lock-out would be reset.
    case subject(String)
    /// The new policy's hash, as the log and `kist policy check` have it: that, and not its body's,
    /// names the request.
    case policy(Digest256)
  }

  /// The state of a request that needs an approval.
  package enum State: Sendable {
    /// It may run now; the approval is used up.
    case approved(Approval)
    case waiting(ApprovalNeeded, isNew: Bool)
    /// Too many requests are waiting.
    case full
  }

  /// The outcome of `approve`.
  enum ApprovalResult {
    case approved(Approval)
    /// The request is the approver's own, which is not allowed.
    case own(Approval)
    /// No request has that name, or its time is over.
    case unknown
  }

  fileprivate struct Request {
    let id: String
    let scope: Scope
    let label: String?
    let matter: Matter?
    let deadline: MonotonicTime
    let until: Timestamp
    var approval: Approval?
  }

  package static let limit = ListRequestsReply.Caps.requestsCount
  /// The most requests of one user.
  static let userLimit = 8

  private let lock = Lock()
  // Guarded by `lock`.
  private var requests: [Request] = []
  private var policies: [(hash: Digest256, deadline: MonotonicTime)] = []

  private let settings: OperatorsConfiguration
  private let clock: @Sendable () -> Timestamp
  private let monotonicClock: @Sendable () -> MonotonicTime

  package init(
    _ settings: OperatorsConfiguration, clock: @escaping @Sendable () -> Timestamp,
    monotonicClock: @escaping @Sendable () -> MonotonicTime
  ) {
    self.settings = settings
    self.clock = clock
    self.monotonicClock = monotonicClock
  }

  /// Uses up the approval of a request, or queues the request.
  package func take(_ scope: Scope, label: String?, about matter: Matter? = nil) throws(CryptoError)
    -> State
  {
    let id = Hex.encode(try Random.bytes(4))
    return lock.withLock {
      forgetEnded()
      if let place = requests.firstIndex(where: { $0.scope == scope }) {
        let request = requests[place]
        guard let approval = request.approval else { return .waiting(request.needed, isNew: false) }
        requests.remove(at: place)
        return .approved(approval)
      }
      guard requests.count < Self.limit,
        requests.count(where: { $0.scope.uid == scope.uid }) < Self.userLimit,
        !requests.contains(where: { $0.id == id })
      else { return .full }
      let request = Request(
        id: id, scope: scope, label: label, matter: matter, deadline: deadline,
        until: clock().adding(seconds: Int64(settings.approvalTime.wholeSeconds)))
      requests.append(request)
      return .waiting(request.needed, isNew: true)
    }
  }

  func approve(_ id: String, by caller: Caller) -> ApprovalResult {
    lock.withLock {
      forgetEnded()
      guard let place = requests.firstIndex(where: { $0.id == id }) else { return .unknown }
      guard requests[place].scope.uid != caller.person else { return .own(Approval(request: id)) }
      let approval =
        requests[place].approval
        ?? Approval(request: id, by: caller.person, byName: caller.personName)
      requests[place].approval = approval
      return .approved(approval)
    }
  }

  /// The waiting requests in the order of their arrival.
  var list: [PendingRequest] {
    lock.withLock {
      forgetEnded()
      return requests.map(\.description)
    }
  }

  /// Allows the next reload to put this policy in force, for as long as a request may wait.
  func expect(policy hash: Digest256) {
    lock.withLock {
      forgetEnded()
      policies.removeAll { $0.hash == hash }
      if policies.count < Self.limit { policies.append((hash, deadline)) }
    }
  }

  /// Whether the policy was allowed for the next reload; uses that up.
  package func takeExpected(policy hash: Digest256) -> Bool {
    lock.withLock {
      forgetEnded()
      guard let place = policies.firstIndex(where: { $0.hash == hash }) else { return false }
      policies.remove(at: place)
      return true
    }
  }

  // Call both with `lock` held.

  private func forgetEnded() {
    let now = monotonicClock()
    requests.removeAll { $0.deadline <= now }
    policies.removeAll { $0.deadline <= now }
  }

  private var deadline: MonotonicTime {
    MonotonicTime(
      nanoseconds: monotonicClock().nanoseconds + settings.approvalTime.nanoseconds)
  }
}

extension PendingRequests.Request {
  var needed: ApprovalNeeded {
    var needed = ApprovalNeeded()
    needed.request = id
    needed.until = UInt64(clamping: until.seconds)
    return needed
  }

  var description: PendingRequest {
    var description = PendingRequest()
    description.id = id
    description.uid = scope.uid
    description.operation = scope.opcode.name
    description.key = scope.key == .none ? [] : scope.key.bytes
    description.label = label ?? ""
    // That of a service's request is keyed, so that people cannot recompute it.
    description.digest = scope.opcode.isForOperators ? scope.digest.bytes : []
    description.until = UInt64(clamping: until.seconds)
    description.approvedBy = approval?.by
    switch matter {
    case .exchange(let key, let label, let checkValue):
      description.exchangeKey = key.bytes
      description.exchangeLabel = label
      description.exchangeCheckValue = checkValue
    case .subject(let subject): description.subject = subject
    case .policy, nil: break
    }
    return description
  }
}
