internal import Doctor
internal import Format
internal import Glibc
internal import KistClient

extension DaemonAnswer {
  /// Asks on the services' socket whether the daemon serves, which leaves no record; asks for the status only if that leaves none either.
  init(_ question: DaemonQuestion) {
    do throws(ClientError) {
      let client = try Client(Endpoint(path: question.service), timeout: Self.patience)
      switch try client.readiness() {
      case .serving: self = .serving(question.mayAskStatus(geteuid(), Self.groups) ? DaemonReport(question.admin) : nil)
      case .locked: self = .locked
      case .unavailable: self = .unavailable
      }
    } catch {
      switch error {
      case .unreachable(_, EACCES), .unreachable(_, EPERM): self = .closed
      case .timedOut, .unreachable(_, ETIMEDOUT): self = .silent
      case .unreachable, .disconnected, .malformedReply, .secretMemory, .endpoint, .request, .refused: self = .gone(reason: "\(error)")
      }
    }
  }

  private static let patience = Duration.seconds(5)

  /// The primary group, then the others.
  private static var groups: [UInt32] {
    var others = [gid_t](repeating: 0, count: 65_536)
    let count = unsafe getgroups(Int32(others.count), &others)
    return [getegid()] + others.prefix(max(0, Int(count)))
  }
}

extension DaemonReport {
  /// Nil if it does not answer.
  fileprivate init?(_ path: String) {
    guard let client = try? Client(Endpoint(path: path), timeout: .seconds(5)), let report = try? client.status() else { return nil }
    self.init(version: report.productVersion, broken: report.promises.filter { !$0.isHeld }.map(\.text))
  }
}
