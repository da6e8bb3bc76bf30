internal import Format
internal import KeyStore
internal import Policy

/// The symmetric key for a request: the stored key that the header names, or a secret made with that key.
enum WorkingKey {
  case stored(KeySlot)
  case held(Handle)

  /// - Parameter handle: 16 bytes, or none for the stored key.
  /// - Throws: `OperationError.noSuchKey`, whatever is missing.
  init(_ handle: Span<UInt8>, _ context: borrowing OperationContext) throws(OperationError) {
    if handle.isEmpty {
      self = .stored(try context.key())
    } else {
      self = .held(try context.handle(handle, spending: false))
    }
  }

  /// Lends the key's bytes.
  func withBytes<R: ~Copyable>(_ body: (Span<UInt8>) throws(OperationError) -> R) throws(OperationError) -> R {
    switch self {
    case .held(let handle): return try handle.withBytes(body)
    case .stored(let slot):
      let result: R? = try slot.withSymmetricKey(body)
      guard let result else { throw .noSuchKey }
      return result
    }
  }
}

extension OperationContext {
  /// The connection's secret behind a handle, if it was made with the grant's key [OP-HANDLE-3].
  ///
  /// - Throws: `OperationError.noSuchKey` if it is used up, expired, of another connection or key, or never existed.
  func handle(_ id: Span<UInt8>, spending: Bool) throws(OperationError) -> Handle {
    do throws(KeyStoreError) { try keys.checkOrigin(for: grant) } catch { throw .noSuchKey }
    guard let key = grant.key, let handle = handles.use(id, of: key, for: grant.opcode, spending: spending) else { throw .noSuchKey }
    return handle
  }
}
