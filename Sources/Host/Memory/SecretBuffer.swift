import CConstantTime
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

// SecretMemory: the memory in which every secret lives, and the buffer that owns a piece of it.
// It knows the kernel: memfd_secret, guard pages, locking and wiping.
// It must not know what a secret is for, nor any other module.

/// Why secret memory could not be allocated.
package enum SecretMemoryError: Error, Equatable {
  /// The arena is full; the caller should answer busy and free something.
  case exhausted
  /// The kernel refused the mapping or the lock.
  case refused(errno: Int32)
}

/// The one locked mapping of this process in which every secret lives.
package enum SecretArena {
  /// How the pages are kept from other processes.
  package enum Kind: Sendable, Equatable {
    /// `memfd_secret(2)`: unreadable from any other process, root included.
    case memfdSecret
    /// `mlock(2)`, and left out of core dumps; root can still read it.
    case mlock

    package init?(raw: Int32) {
      switch UInt32(raw) {
      case KIST_ARENA_MEMFD_SECRET.rawValue: self = .memfdSecret
      case KIST_ARENA_MLOCK.rawValue: self = .mlock
      default: return nil
      }
    }
  }

  package struct Usage: Sendable, Equatable {
    package let kind: Kind?
    /// All in bytes.
    package let capacity, used, peak: Int
  }

  /// Maps the arena, once per process and before anything else allocates a secret.
  ///
  /// - Parameter capacity: bytes, a power of two of at least one page.
  /// - Throws: `SecretMemoryError.refused`, with `EALREADY` if it is mapped already.
  package static func install(capacity: Int, allowMlockFallback: Bool) throws(SecretMemoryError) {
    let error = kist_arena_install(capacity, allowMlockFallback ? 1 : 0)
    guard error == 0 else { throw .refused(errno: error) }
  }

  package static var usage: Usage {
    let raw = kist_arena_usage()
    return Usage(kind: Kind(raw: raw.kind), capacity: raw.capacity, used: raw.used, peak: raw.peak)
  }
}

/// Comparisons whose time depends on lengths alone; `make ct` shows that none branches on a byte.
package enum ConstantTime {
  package static func equal(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    var difference: UInt8 = 0
    for i in a.indices { difference |= a[i] ^ b[i] }
    // Callers act on the answer.
    return kist_declassified(difference == 0)
  }

  /// Whether all bytes are ASCII digits.
  package static func areDigits(_ text: Span<UInt8>) -> Bool {
    var others: UInt8 = 0
    for i in text.indices { others |= topBit(ifAbove: 9, text[i] &- 0x30) }
    // Callers refuse other text.
    return kist_declassified(others < 0x80)
  }

  /// Whether all bytes are ASCII letters of either case or digits.
  package static func areLettersAndDigits(_ text: Span<UInt8>) -> Bool {
    var others: UInt8 = 0
    for i in text.indices {
      others |= topBit(ifAbove: 9, text[i] &- 0x30) & topBit(ifAbove: 25, (text[i] | 0x20) &- 0x61)
    }
    // Callers refuse other text.
    return kist_declassified(others < 0x80)
  }

  /// A byte whose top bit is set if `value` is above `limit`, which is below 128; its other bits
  /// mean nothing.
  private static func topBit(ifAbove limit: UInt8, _ value: UInt8) -> UInt8 {
    value | (value &+ (127 &- limit))
  }
}
