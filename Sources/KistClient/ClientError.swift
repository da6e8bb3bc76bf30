internal import Glibc

/// Why a call did not return a result.
public enum ClientError: Error, Hashable, Sendable {
  /// The value of `KIST_ENDPOINT`, which is no `unix:` URL.
  case endpoint(String)
  /// The daemon cannot be reached at that path; `errno` says why, `ETIMEDOUT` if it accepts no connection in time.
  case unreachable(path: String, errno: Int32)
  /// The connection broke before the reply; the request may have been carried out. Of a token with a retry key: make the same call again.
  case disconnected
  /// There was no reply before the time-out; the request may have been carried out.
  case timedOut
  /// The request breaks a bound of the protocol, so nothing was sent; the text names the field and the bound.
  case request(String)
  /// The reply violates the protocol.
  case malformedReply
  /// Locked memory was not available.
  case secretMemory
  /// The daemon refused the request.
  case refused(Refusal)

  /// What the daemon said about a refused request.
  public struct Refusal: Hashable, Sendable {
    /// `denied`, `rejected`, `busy`, `locked`, … as `proto/PROTOCOL.md` lists them.
    public let status: String
    /// Of `malformed`: which field broke which bound, if the request's body is at fault.
    public let flaw: String?
    /// The stage of a rejection, if the grant shows stages; `not-released` is always there.
    public let stage: String?
    /// The field that the stage is about: of a pass, or the required one that a token was not opened for.
    public let field: String?
    /// The request that a second person must approve; after that, repeat the call, and it is carried out once.
    public let approval: PendingApproval?
    /// The audit record to quote to the operator; nil if there is none.
    public let auditSequence: UInt64?
  }

  /// A request that waits for an operator's approval.
  public struct PendingApproval: Hashable, Sendable {
    /// The request's name for `kist approve`.
    public let request: String
    /// Seconds since 1970; at that time the daemon forgets the request.
    public let until: Int64
  }
}

extension ClientError: CustomStringConvertible {
  /// What happened, in a few words without secrets.
  public var description: String {
    switch self {
    case .endpoint(let value): "the endpoint is '\(value)'; expected unix:/PATH"
    case .unreachable(let path, let code): "\(path): \(unsafe String(cString: strerror(code)))"
    case .disconnected: "the daemon closed the connection without an answer; the request may have been carried out"
    case .timedOut: "the daemon did not answer in time; the request may have been carried out"
    case .request(let flaw): flaw
    case .malformedReply: "the daemon's answer cannot be read"
    case .secretMemory: "locked memory cannot be had"
    case .refused(let refusal): refusal.description
    }
  }
}

extension ClientError.Refusal: CustomStringConvertible {
  /// Such as `rejected at stage tag (audit record 12)`.
  public var description: String {
    status + (flaw.map { ": \($0)" } ?? "") + (stage.map { " at stage \($0)" } ?? "") + (field.map { " (\($0))" } ?? "")
      + (auditSequence.map { " (audit record \($0))" } ?? "")
  }
}
