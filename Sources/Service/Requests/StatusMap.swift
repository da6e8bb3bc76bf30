import Audit
import Crypto
import Format
import KeyStore
import Operations
import Policy

// The one place that decides what a caller learns of an error. `OperationError` first says by whose
// fault an operation failed.

extension Outcome {
  init(_ error: OperationError) {
    switch error {
    case .wire: self = .failed(.malformed)
    case .rejected(let stage): self = .rejected(stage)
    case .noSuchKey: self = .failed(.denied)
    case .busy(.claims): self = .busy(.claims)
    case .busy: self = .failed(.busy)
    case .fault: self = .failed(.internal)
    }
  }
}

extension Denial {
  var status: Status {
    switch self {
    case .noGrant, .overflowIdentity, .unknownKey, .wrongSocket, .subordinateUser: .denied
    case .rate, .quota: .busy
    }
  }
}

extension ReplyBuffer.Ending {
  init(
    _ outcome: Outcome, _ inputs: Inputs = Inputs(), _ malformation: Malformation? = nil,
    showsStage: Bool
  ) {
    switch outcome {
    case .done: self.init(status: .ok)
    // The grant's own fields are no secret from its caller. [OP-OPEN-10]
    case .rejected(.notReleased):
      self.init(
        status: .rejected, stage: .notReleased,
        rejection: Rejection(stage: .notReleased, releasedField: inputs.required))
    case .rejected(let stage):
      self.init(
        status: .rejected, stage: stage,
        rejection: showsStage ? Rejection(stage: stage, field: inputs.field) : nil)
    case .busy: self.init(status: .busy)
    case .failed(let status): self.init(status: status, malformation: malformation)
    }
  }
}

extension ReplyBuffer.Ending {
  /// A wrong passphrase is reported to the operator; every other error only to the reader of the
  /// daemon's diagnostics.
  init(_ error: UnlockError, showsStage: Bool) {
    switch error {
    case .notLocked, .store(.wrongPassphrase), .store(.noPassphrase):
      self.init(.rejected(.passphrase), showsStage: showsStage)
    case .crypto(.exhausted), .store(.crypto(.exhausted)): self.init(status: .busy)
    case .audit, .keptCheckpoint: self.init(status: .auditUnavailable)
    case .store, .crypto: self.init(status: .internal)
    }
  }
}

extension UnlockError {
  /// What the operator who locks learns.
  var lockingStatus: Status {
    switch self {
    case .notLocked: .locked
    case .audit, .keptCheckpoint: .auditUnavailable
    case .store, .crypto: .internal
    }
  }
}
