import Audit
import Format
import KeyStore
import KistClient
import Operations
import Policy
import Sandbox
import Service
import ServiceHarness
import TestSupport

extension World {
  func call(
    _ opcode: Opcode, _ key: KeyID, _ body: [UInt8], from caller: Caller = TestService.caller,
    on socket: SocketKind = .services
  ) throws -> Outcome { try reply(opcode, key, body, from: caller, on: socket)?.outcome ?? .down }

  func reply(
    _ opcode: Opcode, _ key: KeyID, _ body: [UInt8], from caller: Caller = TestService.caller,
    on socket: SocketKind = .services,
    over handles: HandleTable? = nil
  ) throws -> (outcome: Outcome, body: [UInt8])? {
    guard let service else { return nil }
    let (header, body) = try service.call(
      opcode, key: key, body: body, from: caller, on: socket, handles: handles ?? .none)
    if header.auditSequence != ReplyHeader.unaudited {
      acknowledged[header.auditSequence] = opcode.name
    }
    guard header.status == .rejected, !body.isEmpty else {
      return (.said(header.status.name), body)
    }
    return (.said(try Rejection(MessageReader(body.span)).stage.name), body)
  }

  func open(_ number: Int) throws -> Outcome {
    guard let made = try reply(.openPaymentToken, scene.key(), tokens[number]) else { return .down }
    if made.outcome.isOK, let transaction = sealing[number] {
      envelopes.append(
        Envelope(
          bytes: try OpenPaymentTokenReply(MessageReader(made.body.span)).envelope.array,
          transaction: transaction))
    }
    return made.outcome
  }

  /// The retry key of the next token.
  var retryKey: [UInt8] {
    [UInt8](
      repeating: UInt8(truncatingIfNeeded: tokens.count),
      count: OpenPaymentTokenRequest.Caps.retryKey)
  }

  /// What an acquirer would open, and the transaction that it is bound to.
  struct Envelope {
    let bytes: [UInt8]
    let transaction: [UInt8]
  }

  func seal() throws -> Outcome {
    let token = try scene.mint(signedAt: Timestamp(seconds: time))
    tokens.append(
      try scene.request(token, release: ReleasedFields([.last4, .envelope]), retryKey: retryKey))
    sealing[tokens.count - 1] = token.transactionID
    return try open(tokens.count - 1)
  }

  func tokenise() throws -> Outcome {
    let transaction = [UInt8](repeating: UInt8(truncatingIfNeeded: envelopes.count), count: 32)
    let pan = Array("4111111111111111".utf8)
    let body = try written(atMost: 256) { (writer) throws(WireError) in
      var request = TokeniseRequest()
      request.pan = pan.span
      request.merchantIdentifier = TokenScene.merchant
      request.transactionID = transaction.span
      request.lifetime = UInt32(Model.envelopeLifetime)
      try request.encode(into: &writer)
    }
    guard let made = try reply(.tokenise, scene.sealingKey(), body) else { return .down }
    if made.outcome.isOK {
      envelopes.append(
        Envelope(
          bytes: try TokeniseReply(MessageReader(made.body.span)).envelope.array,
          transaction: transaction))
    }
    return made.outcome
  }

  func open(_ envelope: Envelope, canRetry: Bool) throws -> Outcome {
    // Of this envelope alone.
    let retryKey = canRetry ? envelope.bytes.suffix(OpenPaymentTokenRequest.Caps.retryKey) : []
    return try call(
      .openEnvelope, scene.sealingKey(),
      written(atMost: 1024) { (writer) throws(WireError) in
        var request = OpenEnvelopeRequest()
        request.envelope = envelope.bytes.span
        request.merchantIdentifier = TokenScene.merchant
        request.transactionID = envelope.transaction.span
        request.retryKey = retryKey.span
        try request.encode(into: &writer)
      })
  }

  func enter(_ change: Act.Change) throws -> Outcome {
    guard let made = try reply(change.opcode, working, [], on: .operators) else { return .down }
    if made.outcome == .said("approval-needed") {
      request = try ApprovalNeeded(MessageReader(made.body.span)).request
    }
    return made.outcome
  }

  func approve(by caller: Caller) throws -> Outcome {
    guard !request.isEmpty else { return .nothing }
    return try call(
      .approve, .none,
      written(atMost: 64) { try ApproveRequest(request: request).encode(into: &$0) }, from: caller,
      on: .operators)
  }

  func swap(_ grants: Bool) throws -> Outcome {
    let rules = try TestService.rules(Self.grants(drawing: grants), Self.standInKeys)
    do throws(ReloadError) { try service?.service.reload(rules) } catch {
      return .refused("\(error)")
    }
    isDrawGranted = grants
    return .done
  }

  func makeCode() throws -> Outcome {
    let made = try newCode()
    guard made.isOK, let code = codes.popLast() else { return made }
    let outcome = try verify(code)
    if outcome.isOK { codes.append(code) }
    return outcome
  }

  func newCode() throws -> Outcome {
    guard let made = try reply(.signOTP, coded, []) else { return .down }
    if made.outcome.isOK { codes.append(try SignOTPReply(MessageReader(made.body.span)).otp.array) }
    return made.outcome
  }

  func verify(_ code: [UInt8]) throws -> Outcome {
    let nobody: [UInt8] = []
    return try call(
      .verifyOTP, coded,
      written(atMost: 64) {
        var request = VerifyOTPRequest()
        request.subject = nobody.span
        request.code = code.span
        try request.encode(into: &$0)
      })
  }

  func backUp() throws -> Outcome {
    guard let made = try reply(.backUp, .none, [], on: .operators) else { return .down }
    if made.outcome.isOK { backups.append(try BackUpReply(MessageReader(made.body.span))) }
    return made.outcome
  }

  static func randomBody() throws -> [UInt8] {
    try written(atMost: 8) { try RandomRequest(count: 16).encode(into: &$0) }
  }
}

extension Act.Change {
  fileprivate var opcode: Opcode {
    switch self {
    case .suspend: .suspendKey
    case .resume: .resumeKey
    case .retire: .retireKey
    case .compromise: .compromiseKey
    case .destroy: .destroyKey
    }
  }
}
