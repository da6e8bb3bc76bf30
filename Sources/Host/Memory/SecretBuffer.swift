import CLinux

/// Owns one block of the arena, wiped and freed when the owner is destroyed.
///
/// It cannot be copied, printed or kept past its owner; read it through `bytes`, write it through
/// `mutableBytes`.
@safe package struct SecretBuffer: ~Copyable, @unchecked Sendable {
  private let base: UnsafeMutablePointer<UInt8>
  /// Size in bytes.
  package let count: Int

  /// A buffer of `count` zero bytes.
  ///
  /// - Throws: `SecretMemoryError.exhausted` when the arena is full or was never installed.
  package init(count: Int) throws(SecretMemoryError) {
    precondition(count >= 0)
    guard let block = unsafe kist_arena_alloc(max(count, 1)) else { throw .exhausted }
    unsafe base = block.assumingMemoryBound(to: UInt8.self)
    self.count = count
  }

  /// A buffer that holds a copy of `source`; the caller still has to wipe `source`.
  package init(copying source: Span<UInt8>) throws(SecretMemoryError) {
    try self.init(count: source.count)
    let start = unsafe base
    unsafe source.withUnsafeBufferPointer { bytes in
      if let from = bytes.baseAddress { unsafe start.update(from: from, count: bytes.count) }
    }
  }

  package var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get {
      let span = unsafe Span<UInt8>(_unsafeStart: base, count: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  package var mutableBytes: MutableSpan<UInt8> {
    @_lifetime(&self)
    mutating get {
      let span = unsafe MutableSpan<UInt8>(_unsafeStart: base, count: count)
      return unsafe _overrideLifetime(span, mutating: &self)
    }
  }

  /// Zeroes the contents and keeps the block.
  package mutating func wipe() {
    var bytes = mutableBytes
    bytes.wipe()
  }

  deinit { unsafe kist_arena_free(base) }
}

extension MutableSpan where Element == UInt8 {
  /// Zeroes every byte in a way that the optimiser keeps.
  @_lifetime(self: copy self)
  package mutating func wipe() {
    unsafe withUnsafeMutableBytes { raw in
      if let start = raw.baseAddress { unsafe kist_wipe(start, raw.count) }
    }
  }

  /// Copies all of `source` to `offset`.
  @_lifetime(self: copy self)
  package mutating func copy(_ source: Span<UInt8>, at offset: Int = 0) {
    precondition(offset >= 0 && source.count <= count - offset)
    unsafe withUnsafeMutableBufferPointer { to in
      unsafe source.withUnsafeBufferPointer { from in
        guard let start = to.baseAddress, let source = from.baseAddress else { return }
        unsafe (start + offset).update(from: source, count: from.count)
      }
    }
  }
}
