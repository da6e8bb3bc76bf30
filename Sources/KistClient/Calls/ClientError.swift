import Format
import Glibc

/// Why a call did not return a result.
public enum ClientError: Error, Hashable {
  /// The value of `KIST_ENDPOINT`, which is no `unix:` URL.
  case endpoint(String)
  /// The daemon cannot be reached at that path; `errno` says why, `ETIMEDOUT` if it accepts no
  /// connection in time.
  case unreachable(path: String, errno: Int32)
  /// The connection broke before the reply; the request may have been carried out. Of a token with
  /// a retry key: make the same call again.
  case disconnected(request: UInt64)
  /// There was no reply before the time-out; the request may have been carried out.
  case timedOut(request: UInt64)
  /// The request breaks a bound of the protocol, so nothing was sent; the text names the field and
  /// the bound.
  case request(String)
  /// The reply violates the protocol.
  case malformedReply(request: UInt64)
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
    /// The field that the stage is about: of a pass, or the required one that a token was not
    /// opened for.
    public let field: String?
    /// The request that a second person must approve; after that, repeat the call, and it is
    /// carried out once.
    public let approval: PendingApproval?
    /// Of `busy`: when to try again; nil where the connection was one too many.
    public let retryAfter: Duration?
    /// The audit record to quote to the operator; nil if there is none.
    public let auditSequence: UInt64?
    /// The request's id, which the audit record has, too.
    public let requestID: UInt64
  }

  /// A request that waits for an operator's approval.
  public struct PendingApproval: Hashable, Sendable {
    /// The request's name for `kist approve`.
    public let request: String
    /// Seconds since 1970; at that time the daemon forgets the request.
    public let until: Int64
  }
}

extension ClientError {
  /// The id of the request that failed, by which `kist audit show --request` finds its record; nil
  /// if none was made.
  public var requestID: UInt64? {
    switch self {
    case .disconnected(let request), .timedOut(let request), .malformedReply(let request): request
    case .refused(let refusal): refusal.requestID
    case .endpoint, .unreachable, .request, .secretMemory: nil
    }
  }

  /// Whether the reply was lost, so that the request may have been carried out.
  public var isLostReply: Bool {
    switch self {
    case .disconnected, .timedOut: true
    case .endpoint, .unreachable, .request, .malformedReply, .secretMemory, .refused: false
    }
  }

  /// Whether it could meet any request, so that it says nothing of an earlier one. A busy daemon
  /// that names no wait takes no more connections [WIRE-24].
  var isAboutDaemon: Bool {
    switch self {
    case .unreachable, .secretMemory: true
    case .refused(let refusal):
      ["locked", "audit-unavailable"].contains(refusal.status)
        || refusal.status == "busy" && refusal.retryAfter == nil
    case .endpoint, .disconnected, .timedOut, .request, .malformedReply: false
    }
  }
}

extension ClientError: CustomStringConvertible {
  /// What happened, in a few words without secrets.
  public var description: String {
    switch self {
    case .endpoint(let value): "the endpoint is '\(value)'; expected unix:/PATH"
    case .unreachable(let path, let code): "\(path): \(unsafe String(cString: strerror(code)))"
    case .disconnected(let request):
      "the daemon closed the connection without an answer; request \(Hex.encode(request.bigEndianBytes)) may have been carried out"
    case .timedOut(let request):
      "the daemon did not answer in time; request \(Hex.encode(request.bigEndianBytes)) may have been carried out"
    case .request(let flaw): flaw
    case .malformedReply(let request):
      "the daemon's answer to request \(Hex.encode(request.bigEndianBytes)) cannot be read"
    case .secretMemory: "locked memory cannot be had"
    case .refused(let refusal): refusal.description
    }
  }
}

extension ClientError.Refusal: CustomStringConvertible {
  /// Such as `rejected at stage tag (audit record 12, request 000000000000002a)`.
  public var description: String {
    status + (flaw.map { ": \($0)" } ?? "") + (stage.map { " at stage \($0)" } ?? "")
      + (field.map { " (\($0))" } ?? "")
      + (retryAfter.map { " for \(Self.words($0))" } ?? "")
      + " (\(auditSequence.map { "audit record \($0), " } ?? "")request \(Hex.encode(requestID.bigEndianBytes)))"
  }

  /// Whole seconds, rounded up, from one second on; else milliseconds.
  private static func words(_ wait: Duration) -> String {
    let (seconds, attoseconds) = wait.components
    return seconds > 0
      ? "\(seconds + (attoseconds > 0 ? 1 : 0)) s" : "\(attoseconds / 1_000_000_000_000_000) ms"
  }
}
