internal import Encoding
internal import Glibc
internal import KistClient
internal import Wire

/// The daemon that a command speaks to, and what a person is told where that fails.
struct Daemon {
  private let client: Client
  private let answersInJSON: Bool
  /// Whether a request that needs a second operator is sent again until it has one.
  private let waits: Bool

  /// By the services' socket: `--socket`, else `KIST_ENDPOINT`, else the usual path.
  static func services(_ arguments: Arguments) throws(CommandFailure) -> Daemon {
    try Daemon(arguments, variable: "KIST_ENDPOINT", usual: .services)
  }

  /// By the operators' socket: `--socket`, else `KIST_ADMIN_ENDPOINT`, else the usual path.
  static func operators(_ arguments: Arguments) throws(CommandFailure) -> Daemon {
    try Daemon(arguments, variable: "KIST_ADMIN_ENDPOINT", usual: .operators)
  }

  /// Makes requests; a refusal becomes advice, and an answer in JSON where that was asked for.
  ///
  /// - Parameter rejectedMeans: what a rejection can only mean here.
  func ask<R: ~Copyable>(rejectedMeans: String? = nil, _ requests: (Client) throws(ClientError) -> R) throws(CommandFailure) -> R {
    do throws(ClientError) {
      return try requests(client)
    } catch {
      if waits, case .refused(let refusal) = error, let approval = refusal.approval { return try wait(for: approval, rejectedMeans, requests) }
      if answersInJSON, case .refused(let refusal) = error { Output.write(refusal.json) }
      throw .failed(error.advice(rejectedMeans))
    }
  }

  /// Sends the same again every second: it is carried out as soon as it is approved, and refused anew when its time is over.
  private func wait<R: ~Copyable>(
    for approval: ClientError.PendingApproval, _ rejectedMeans: String?, _ requests: (Client) throws(ClientError) -> R
  ) throws(CommandFailure) -> R {
    Output.complain("waiting for a second operator: \(approval.advice)\n")
    while true {
      sleep(1)
      do throws(ClientError) {
        return try requests(client)
      } catch {
        if case .refused(let refusal) = error, refusal.approval?.request == approval.request { continue }
        throw .failed(error.advice(rejectedMeans))
      }
    }
  }

  /// Keys that this caller may list; none where it may not list any.
  var visibleKeys: [Key] { (try? client.listKeys(prefix: "")) ?? [] }

  /// Whether the key store is open, as far as this caller may know.
  var isServing: Bool { (try? client.status())?.state == "serving" }

  private init(_ arguments: Arguments, variable: String, usual: Endpoint) throws(CommandFailure) {
    var endpoint = usual
    do throws(ClientError) {
      if let path = arguments.value(Option.socket.name) {
        endpoint = Endpoint(path: path)
      } else if let named = try Endpoint.fromEnvironment(variable) {
        endpoint = named
      }
      client = try Client(endpoint)
    } catch {
      if case .endpoint(let value) = error { throw .failed("\(variable) is '\(value)'; expected unix:/PATH") }
      guard case .unreachable(let code) = error else { throw .failed(error.advice(nil)) }
      throw .failed("\(endpoint.path): \(SystemError.text(code)); \(Self.advice(unreachable: code))")
    }
    answersInJSON = arguments.has(Option.json.name)
    waits = arguments.hasAny(.wait)
  }

  private static func advice(unreachable code: Int32) -> String {
    switch code {
    case EACCES, EPERM: "only the socket's owner and group may connect"
    case ENAMETOOLONG: "a socket's path has at most 107 bytes"
    default: "is kistd running, and is this its socket?"
    }
  }
}

extension ClientError.Refusal {
  fileprivate var json: CanonicalJSON {
    var members: [CanonicalJSON.Member] = [.init("ok", .bool(false)), .init("status", .string(status))]
    if let field { members.append(.init("field", .string(field))) }
    if let stage { members.append(.init("stage", .string(stage))) }
    if let approval { members += [.init("request", .string(approval.request)), .init("until", .count(approval.until))] }
    if let auditSequence { members.append(.init("audit_sequence", .count(auditSequence))) }
    return .object(members)
  }

  /// `rejected at stage tag (audit record 12)`.
  fileprivate var summary: String {
    status + (stage.map { " at stage \($0)" } ?? "") + (field.map { " (\($0))" } ?? "") + (auditSequence.map { " (audit record \($0))" } ?? "")
  }
}

extension ClientError {
  /// What happened and what to do next.
  fileprivate func advice(_ rejectedMeans: String?) -> String {
    switch self {
    case .endpoint(let value): "the endpoint is '\(value)'; expected unix:/PATH"
    case .unreachable(let code): "the daemon cannot be reached: \(SystemError.text(code))"
    case .disconnected: "the daemon closed the connection without an answer; the audit log says whether the request was carried out"
    case .requestTooLarge: "a value is larger than the protocol takes"
    case .malformedReply: "the daemon's answer cannot be read; are kist and kistd of the same version?"
    case .secretMemory: "locked memory cannot be had; see ulimit -l"
    case .refused(let refusal): refusal.summary + (refusal.advice(rejectedMeans).map { "; " + $0 } ?? "")
    }
  }
}

extension ClientError.PendingApproval {
  /// What the second person must do.
  fileprivate var advice: String {
    "another operator must run 'kist approve \(request)'" + (Timestamp(reported: until).map { " before \($0.wholeSeconds)" } ?? "")
  }
}

extension ClientError.Refusal {
  fileprivate func advice(_ rejectedMeans: String?) -> String? {
    switch Status.allCases.first(where: { $0.name == status }) {
    case .denied: "policy grants you no such request, or there is no such key: see kist policy explain"
    case .rejected: rejectedMeans ?? (stage == nil ? "the audit record names the stage" : nil)
    case .busy: "try again later"
    case .locked: "kist unlock opens the key store"
    case .auditUnavailable: "the audit log cannot be written; kist status says whether its disk is full"
    case .internal: "a fault of the daemon's own: see its messages"
    case .malformed, .unsupported: "are kist and kistd of the same version?"
    case .approvalNeeded: approval.map { "\($0.advice); then run this again" }
    case .ok, nil: nil
    }
  }
}
