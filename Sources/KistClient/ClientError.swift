internal import Glibc

/// Why a call did not give a result.
public enum ClientError: Error, Hashable, Sendable {
  /// `KIST_ENDPOINT` is this, which is no `unix:` URL.
  case endpoint(String)
  /// The daemon cannot be reached at that path; `errno` says why, `ETIMEDOUT` where it takes no connection in time.
  case unreachable(path: String, errno: Int32)
  /// The connection broke before the reply; whether the request was carried out is not known.
  case disconnected
  /// No reply within the client's time; whether the request was carried out is not known.
  case timedOut
  /// The request is larger than the protocol takes.
  case requestTooLarge
  /// The reply breaks the protocol.
  case malformedReply
  /// Locked memory could not be had.
  case secretMemory
  /// The daemon refused.
  case refused(Refusal)

  /// What the daemon said of a refused request.
  public struct Refusal: Hashable, Sendable {
    /// `denied`, `rejected`, `busy`, `locked`, … as `proto/PROTOCOL.md` lists them.
    public let status: String
    /// The stage of a rejection, where the grant shows stages.
    public let stage: String?
    /// The field that the stage is about.
    public let field: String?
    /// What a second person must approve; the same call made again is then carried out once.
    public let approval: PendingApproval?
    /// The audit record to quote to the operator; nil where there is none.
    public let auditSequence: UInt64?
  }

  /// A request that waits for an operator's approval.
  public struct PendingApproval: Hashable, Sendable {
    /// What `kist approve` calls it.
    public let request: String
    /// Seconds since 1970; from then on it is forgotten.
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
    case .requestTooLarge: "a value is larger than the protocol takes"
    case .malformedReply: "the daemon's answer cannot be read"
    case .secretMemory: "locked memory cannot be had"
    case .refused(let refusal): refusal.description
    }
  }
}

extension ClientError.Refusal: CustomStringConvertible {
  /// Such as `rejected at stage tag (audit record 12)`.
  public var description: String {
    status + (stage.map { " at stage \($0)" } ?? "") + (field.map { " (\($0))" } ?? "") + (auditSequence.map { " (audit record \($0))" } ?? "")
  }
}
