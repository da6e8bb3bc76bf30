internal import Audit
internal import CryptoBackend
internal import Encoding
internal import KeyStore
internal import Operations
internal import Policy
internal import SecretMemory
internal import Wire

extension Exchange {
  /// Carries out an operator's request to the daemon itself; these work while the key store is locked, too.
  mutating func run(
    _ control: OperationRow.Control, _ row: OperationRow, _ facts: RequestFacts, _ header: RequestHeader, _ body: Span<UInt8>
  ) throws(SecretMemoryError) {
    switch service.decide(rules.policy, caller, row.opcode, key: nil) {
    case .deny(let denial): try deny(facts, header, denial)
    case .allow(let grant):
      switch control {
      case .status: try status(header, row, body)
      case .unlock: try unlock(facts, header, body, grant)
      case .lock: try lock(facts, header, body, grant)
      }
    }
  }

  /// Needs no record: it tells nothing of any request or key.
  private mutating func status(_ header: RequestHeader, _ row: OperationRow, _ body: Span<UInt8>) throws(SecretMemoryError) {
    guard body.isEmpty else { return try replies.append(to: header, .unaudited, .malformed) }
    let report = service.report
    try replies.append(to: header, .unaudited, bodyCap: row.replyCap) { writer in
      do throws(WireError) { try report.encode(into: &writer) } catch { return ReplyBuffer.Answer(status: .internal) }
      return ReplyBuffer.Answer(status: .ok)
    }
  }

  private mutating func unlock(
    _ facts: RequestFacts, _ header: RequestHeader, _ body: Span<UInt8>, _ grant: consuming Grant
  ) throws(SecretMemoryError) {
    let request: UnlockRequest
    do throws(WireError) { request = try UnlockRequest(MessageReader(body)) } catch { return try replies.append(to: header, .unaudited, .malformed) }
    do throws(UnlockError) {
      let receipt = try service.unlock(passphrase: request.passphrase, Attempt(facts, allowed: grant, .done(released: [])))
      try replies.append(to: header, .known(receipt), .ok)
    } catch {
    }
  }
}
