internal import Audit
internal import Operations
internal import Policy
internal import Wire

// What a caller learns of an error; Controls.swift decides it for locking and unlocking.

extension Outcome {
  init(_ error: OperationError) {
    switch error {
    case .wire: self = .failed(.malformed)
    case .rejected(let stage): self = .rejected(stage)
    case .noSuchKey: self = .failed(.denied)
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

extension ReplyBuffer.Answer {
  init(_ outcome: Outcome, field: PassField? = nil, showsStage: Bool) {
    switch outcome {
    case .done: self.init(status: .ok)
    case .rejected(let stage): self.init(status: .rejected, stage: showsStage ? stage : nil, field: showsStage ? field : nil)
    case .failed(let status): self.init(status: status)
    }
  }
}
