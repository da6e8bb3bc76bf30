internal import Audit
internal import Operations
internal import Policy
internal import Wire

/// A request in hand: its header, its body, which nobody has read yet, and what the audit record will say of it.
struct Request: ~Copyable, ~Escapable {
  let row: OperationRow
  let header: RequestHeader
  let body: Span<UInt8>
  let facts: RequestFacts
  /// The key that the header names, if there is such a key.
  let target: KeyTarget?

  @_lifetime(copy body)
  init(_ row: OperationRow, _ header: RequestHeader, _ body: Span<UInt8>, _ target: KeyTarget?, from caller: Caller, under rules: Rules) {
    (self.row, self.header, self.body, self.target) = (row, header, body, target)
    facts = RequestFacts(
      .known(row.opcode), id: header.requestID, caller: caller, key: header.key == .none ? nil : header.key, label: target?.label, policy: rules.policyHash)
  }

  var opcode: Opcode { row.opcode }

  /// The key as policy sees it.
  var key: NamedKey { target.map(NamedKey.known) ?? (header.key == .none ? .none : .absent) }
}
