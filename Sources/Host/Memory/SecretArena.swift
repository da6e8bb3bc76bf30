// SecretMemory: the memory in which every secret lives, and the buffer that owns a piece of it.
// It knows the kernel: memfd_secret, guard pages, locking and wiping.
// It must not know what a secret is for, nor any other module.

import CLinux

/// Why secret memory could not be allocated.
package enum SecretMemoryError: Error, Equatable, Sendable {
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
