/// Why the store did not answer, or not clearly; whatever was asked counts as not claimed [FLEET-STORE-3].
enum StoreFailure: Error, Hashable, Sendable {
  /// There is no connection to be had; in the library's words.
  case unreachable(String)
  case noAnswerInTime
  case lost(String)
  /// It is done, but maybe the standby does not have it: a warning, or another word than `COMMIT`.
  case unclear(String)
  /// It is no store that keeps what it acknowledges [FLEET-STORE-6].
  case unfit(Unfit)
  /// Another session speaks for a host of this name [FLEET-STORE-8].
  case nameIsTaken
  /// A statement was refused that every transaction has, such as for want of rights.
  case failed(String)
  /// This transaction was refused and rolled back; others may be served on the same connection.
  case refused(String)
  /// The answer has another form than the statement's.
  case misunderstood

  enum Unfit: Sendable {
    case hasNoStandby
    case commitsWithoutStandby
    case isReadOnly
  }
}

extension StoreFailure: CustomStringConvertible {
  var description: String {
    switch self {
    case .unreachable(let text): "cannot connect: \(text)"
    case .noAnswerInTime: "no answer in time"
    case .lost(let text): "the connection is lost: \(text)"
    case .unclear(let text): "not certain to be on the standby: \(text)"
    case .unfit(.hasNoStandby): "synchronous_standby_names is empty, so a fail-over could forget claims; with one server alone say store.standby = false"
    case .unfit(.commitsWithoutStandby): "synchronous_commit is neither on nor remote_apply"
    case .unfit(.isReadOnly): "it takes no writes"
    case .nameIsTaken: "another session is connected for a host of this name: an earlier one that the server has not noticed to be gone, or a second host"
    case .failed(let text): "a statement failed: \(text)"
    case .refused(let text): "a transaction was refused: \(text)"
    case .misunderstood: "an answer that makes no sense"
    }
  }
}
