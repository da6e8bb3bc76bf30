import Format
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
