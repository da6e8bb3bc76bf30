import Audit
import Format
import KeyStore
import Operations
import Policy

/// A request in hand: its header, and its body, which nobody has read yet.
struct Request: ~Copyable, ~Escapable {
  let row: OperationRow
  let header: RequestHeader
  let body: Span<UInt8>
  /// The key that the header names, if there is such a key.
  let target: KeyTarget?

  @_lifetime(copy body)
  init(_ row: OperationRow, _ header: RequestHeader, _ body: Span<UInt8>, _ target: KeyTarget?) {
    self.row = row
    self.header = header
    self.body = body
    self.target = target
  }

  var opcode: Opcode { row.opcode }

  /// The key as policy sees it.
  var key: NamedKey { NamedKey(target, header) }
}

extension NamedKey {
  /// - Parameter target: the key that the header names, if there is such a key.
  init(_ target: KeyTarget?, _ header: RequestHeader) {
    self = target.map(NamedKey.known) ?? (header.key == .none ? .none : .absent)
  }
}

/// A request's body as its operation reads it; every field is absent if the bytes do not parse.
struct Decoded<Body: Message & ~Escapable>: ~Copyable, ~Escapable {
  let message: Body
  let flaw: WireError?

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) {
    do throws(WireError) { (message, flaw) = (try Body(MessageReader(bytes)), nil) } catch {
      (message, flaw) = (Body(), error)
    }
  }
}

/// What a connection's earlier requests found out, so that the next ones need not look it up again.
///
/// It holds for one caller, one snapshot of the rules and one edition of the key table, and forgets
/// everything when one of them is another. It has no key: whether a key may be used now is asked of
/// the key store for each request. Only the connection's thread uses it.
package final class ConnectionMemory: @unchecked Sendable {
  private var basis: Basis?
  private var entries: [Subject: KnownRequest] = [:]

  /// More operations and keys than a service works with in turn.
  static let capacity = 64

  package init() {}

  var count: Int { entries.count }

  /// What is known of requests for this operation with this key; nil unless one was allowed before,
  /// on the same basis.
  func known(
    _ opcode: Opcode, _ key: KeyID, from caller: Caller, under rules: Rules, _ keys: KeyStore
  ) -> KnownRequest? {
    guard let basis, basis.rules === rules, keys.isCurrent(basis.edition), basis.caller == caller
    else {
      entries = [:]
      // Before anything is looked up: what is found in a table that is replaced meanwhile is
      // forgotten again.
      basis = Basis(caller: caller, rules: rules, edition: keys.edition)
      return nil
    }
    return entries[Subject(opcode: opcode, key: key)]
  }

  /// Remembers what was found for a request that was allowed. Denials are not remembered: what a
  /// refusal costs must not tell which keys exist.
  func remember(_ found: KnownRequest, for opcode: Opcode, _ key: KeyID) {
    if entries.count >= Self.capacity { entries = [:] }
    entries[Subject(opcode: opcode, key: key)] = found
  }

  private struct Basis {
    let caller: Caller
    let rules: Rules
    let edition: KeyTableEdition
  }

  private struct Subject: Hashable {
    let opcode: Opcode
    let key: KeyID
  }
}

/// What requests of one caller for one operation with one key have in common.
final class KnownRequest {
  let target: KeyTarget?
  let covering: CoveringRules
  /// Whether such a request, once done, counts as a use of its key.
  let isUse: Bool
  var records = RecordTemplates()

  init(_ target: KeyTarget?, _ covering: CoveringRules, isUse: Bool) {
    self.target = target
    self.covering = covering
    self.isUse = isUse
  }
}
