package import Format

// Whose fault it is that a message cannot be read or written.

extension Message where Self: ~Escapable {
  /// Decodes a request's whole body.
  ///
  /// - Throws: `OperationError.wire`.
  @_lifetime(copy body)
  init(decoding body: consuming MessageReader) throws(OperationError) {
    do throws(WireError) { self = try Self(body) } catch { throw .wire(error) }
  }
}

/// A request without a body.
package struct NoFields: Message {
  package init() {}
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {}
}

extension MessageWriter {
  /// Writes a reply's body.
  ///
  /// - Throws: `OperationError.fault`, because every reply fits its operation's cap.
  mutating func write<M: Message & ~Escapable>(_ reply: consuming M) throws(OperationError) {
    do throws(WireError) { try reply.encode(into: &self) } catch { throw .fault }
  }

  /// Writes one field of an opened token; likewise.
  mutating func write(_ field: ReleasedField, _ value: Span<UInt8>) throws(OperationError) {
    do throws(WireError) { try bytes(field.number, value) } catch { throw .fault }
  }
}
