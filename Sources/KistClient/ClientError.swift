/// Why a call did not give a result.
public enum ClientError: Error, Hashable, Sendable {
  /// `KIST_ENDPOINT` is this, which is no `unix:` URL.
  case endpoint(String)
  /// The daemon cannot be reached; `errno` says why.
  case unreachable(errno: Int32)
  /// The connection broke before the reply; whether the request was carried out is not known.
  case disconnected
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
