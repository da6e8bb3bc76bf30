import Configuration
import Format
import Glibc
import Host
import KistClient

/// The daemon that a command speaks to, and the advice to a person if that fails.
struct Daemon {
  let client: Client
  private let endpoint: Endpoint
  /// Seconds.
  private let patience: UInt32
  private let answersInJSON: Bool
  /// Whether a request that needs a second operator is repeated until one has approved it.
  private let waits: Bool

  /// Connects to the socket of `--socket`, else of the environment or its sandbox, else of the
  /// usual path.
  ///
  /// - Parameter tellsFailures: whether a failure is told in JSON, if the answer is to be.
  init(_ arguments: Arguments, tellsFailures: Bool = true) throws(CommandFailure) {
    guard let use = arguments.daemon else { throw .failed("this command speaks to no daemon") }
    let patience =
      try arguments.number(Option.timeout.name, in: DaemonUse.patienceRange) ?? use.patience
    var endpoint = use.usual
    answersInJSON = tellsFailures && arguments.hasAny(.json)
    do throws(ClientError) {
      if let path = arguments.value(Option.socket.name) {
        endpoint = Endpoint(path: path)
      } else if let named = try Endpoint.fromEnvironment(use.variable) {
        endpoint = named
      } else if let inSandbox = UsualPlaces.socket(use.usual) {
        endpoint = inSandbox
      } else if let other = use.other, unsafe access(endpoint.path, W_OK) != 0, errno == EACCES {
        endpoint = other
      }
      // At random, so that an error whose reply was lost finds its own audit record.
      client = try Client(
        endpoint, timeout: .seconds(patience), firstRequestID: .random(in: 1...(.max)))
    } catch {
      if answersInJSON { Output.write(error.json) }
      if case .endpoint(let value) = error {
        throw .failed("\(use.variable) is '\(value)'; expected unix:/PATH")
      }
      throw .failed(Self.advice(of: error, nil, endpoint, patience))
    }
    self.endpoint = endpoint
    self.patience = patience
    waits = arguments.hasAny(.wait)
  }

  /// Makes requests; a failure becomes advice, and JSON if that was asked for.
  ///
  /// - Parameters:
  ///   - requests: carried out with `client`, again if the command waits for an approval.
  ///   - rejectedMeans: the only possible meaning of a rejection here.
  ///   - meaning: finds out what a refusal means here, if it can.
  func ask<R: ~Copyable>(
    _ requests: @autoclosure () throws(ClientError) -> R, rejectedMeans: String? = nil,
    meaning: ((ClientError.Refusal) throws(CommandFailure) -> String?)? = nil
  ) throws(CommandFailure) -> R {
    do throws(ClientError) {
      return try requests()
    } catch {
      if waits, case .refused(let refusal) = error, let approval = refusal.approval {
        return try wait(for: approval, rejectedMeans, requests)
      }
      let failure = told(error, rejectedMeans)
      if let meaning, case .refused(let refusal) = error, let text = try meaning(refusal) {
        throw .failed("\(refusal); \(text)")
      }
      throw failure
    }
  }

  private func told(_ error: ClientError, _ rejectedMeans: String?) -> CommandFailure {
    if answersInJSON { Output.write(error.json) }
    return .failed(Self.advice(of: error, rejectedMeans, endpoint, patience))
  }

  /// Repeats the request every second: it is carried out once it is approved, and refused when its
  /// time is over.
  private func wait<R: ~Copyable>(
    for approval: ClientError.PendingApproval, _ rejectedMeans: String?,
    _ requests: () throws(ClientError) -> R
  ) throws(CommandFailure) -> R {
    Output.complain("waiting for a second operator: \(approval.advice)\n")
    while true {
      sleep(1)
      do throws(ClientError) {
        return try requests()
      } catch {
        if case .refused(let refusal) = error, refusal.approval?.request == approval.request {
          continue
        }
        throw told(error, rejectedMeans)
      }
    }
  }

  /// Before anybody types anything, checks whether policy grants this caller the request, if the
  /// caller may learn its own rights.
  func checkGrant(of opcode: Opcode) throws(CommandFailure) {
    guard let rights = try? client.who(), !rights.isCut else {
      return Output.complain(
        "whether policy grants you \(opcode.name) will show only at the end, since you may not use who\n"
      )
    }
    guard rights.grants.contains(where: { $0.operations.contains(opcode.name) }) else {
      throw .failed("policy grants you no \(opcode.name): see kist policy explain")
    }
  }

  /// How the daemon's last start or reload went, if it says so beside its socket.
  var lastLoad: LastLoad? { Self.lastLoad(beside: endpoint) }

  /// Whether it would start again, if that was asked of late.
  var nextStart: LastLoad? { Self.lastLoad(beside: endpoint, LastLoad.nextStart) }

  private static func lastLoad(beside endpoint: Endpoint, _ name: String = LastLoad.fileName)
    -> LastLoad?
  {
    endpoint.path.lastIndex(of: "/").flatMap { LastLoad(in: String(endpoint.path[..<$0]), name) }
  }

  /// Also why the daemon did not start, where that may be the reason.
  private static func advice(
    of error: ClientError, _ rejectedMeans: String?, _ endpoint: Endpoint, _ patience: UInt32
  ) -> String {
    let advice = error.advice(rejectedMeans, patience)
    guard error.mayMeanNoDaemon, let load = lastLoad(beside: endpoint), load.count == 1,
      let reason = load.refusal
    else { return advice }
    return "\(advice). Its last start failed: \(reason)"
  }

  /// The keys that this caller may list; empty if it may list none.
  var visibleKeys: [Key] {
    get throws(CommandFailure) { try known(client.listKeys()) ?? [] }
  }

  /// How many custodians have handed in their shares; nil where this caller may not know.
  var shareProgress: ShareProgressReply? {
    get throws(CommandFailure) { try known(client.shareProgress()) }
  }

  /// What waits for a second person; nil where this caller may not know.
  var pendingRequests: [PendingRequest]? {
    get throws(CommandFailure) { try known(client.listRequests()) }
  }

  /// SHA-256 of the policy in force; nil where this caller may not know.
  var policyInForce: [UInt8]? {
    get throws(CommandFailure) { try known(client.status().policyHash) }
  }

  /// Whether the key store is open, as far as this caller may know.
  var isServing: Bool {
    get throws(CommandFailure) { try known(client.status().state == "serving") ?? false }
  }

  /// What a request answers; nil where this caller may not know.
  private func known<R>(_ request: @autoclosure () throws(ClientError) -> R)
    throws(CommandFailure) -> R?
  {
    do throws(ClientError) { return try request() } catch {
      guard case .refused = error else { throw told(error, nil) }
      return nil
    }
  }
}

extension ClientError.Refusal {
  fileprivate var json: CanonicalJSON {
    let end = approval.flatMap { Timestamp(reported: $0.until) }
    return [
      "audit_sequence": auditSequence, "field": field, "ok": false, "request": approval?.request,
      "request_id": Hex.encode(requestID.bigEndianBytes),
      "retry_after_ms": retryAfter.map { Int64($0 / .milliseconds(1)) },
      "stage": stage, "status": status, "until": end?.wholeSeconds,
    ]
  }
}

extension ClientError {
  /// For programs: what the daemon refuses; else whether it may have done what was asked.
  fileprivate var json: CanonicalJSON {
    if case .refused(let refusal) = self { return refusal.json }
    let id = requestID.map { Hex.encode($0.bigEndianBytes) }
    return [
      "ok": false, "request_id": id, "status": id == nil ? "not-asked" : "no-answer",
    ]
  }

  fileprivate var mayMeanNoDaemon: Bool {
    switch self {
    case .unreachable, .timedOut, .disconnected: true
    case .malformedReply, .secretMemory, .endpoint, .request, .refused: false
    }
  }

  /// What happened and what to do next.
  fileprivate func advice(_ rejectedMeans: String?, _ seconds: UInt32) -> String {
    switch self {
    case .unreachable(_, let code): "\(self); \(Self.advice(unreachable: code))"
    case .timedOut(let request):
      "no answer within \(seconds) s (--timeout); the request may have been carried out: kist audit show --request \(Hex.encode(request.bigEndianBytes)). \(Self.hangs)"
    case .disconnected:
      "\(self), as kist audit show --request will say. Does kistd end again and again? Its messages say why: journalctl -u kistd"
    case .malformedReply: "\(self); are kist and kistd of the same version?"
    case .secretMemory: "\(self); see ulimit -l"
    case .endpoint, .request: description
    case .refused(let refusal):
      refusal.description + (refusal.advice(rejectedMeans).map { "; " + $0 } ?? "")
    }
  }

  private static let hangs =
    "kistd is stopped or overloaded, or ends again and again before it answers: journalctl -u kistd"

  private static func advice(unreachable code: Int32) -> String {
    switch code {
    case EACCES, EPERM: "only the socket's owner and group may connect"
    case ENAMETOOLONG: "a socket's path has at most 107 bytes"
    case ECONNREFUSED: "kistd has ended, or ends again and again: journalctl -u kistd says why"
    case ETIMEDOUT: hangs
    default: "is kistd running, and is this its socket?"
    }
  }
}

extension ClientError.PendingApproval {
  /// What the second person must do.
  fileprivate var advice: String {
    "another operator must run 'kist approve \(request)'"
      + (Timestamp(reported: until).map { " before \($0.wholeSeconds)" } ?? "")
  }
}

extension ClientError.Refusal {
  fileprivate func advice(_ rejectedMeans: String?) -> String? {
    switch Status.allCases.first(where: { $0.name == status }) {
    case .denied:
      "policy grants you no such request, or there is no such key: see kist policy explain"
    case .rejected: rejectedMeans ?? (stage == nil ? "the audit record names the stage" : nil)
    case .busy: retryAfter == nil ? "try again later" : "try again then"
    case .locked: "kist unlock opens the key store"
    case .auditUnavailable:
      "the audit log cannot be opened or written: journalctl -u kistd says why, and kist doctor, run as root, what to do"
    case .internal:
      "something is wrong with the daemon or its files: journalctl -u kistd says what, and kist doctor, run as root, what to do"
    case .malformed, .unsupported: "are kist and kistd of the same version?"
    case .approvalNeeded: approval.map { "\($0.advice); then run this again" }
    case .ok, nil: nil
    }
  }
}
