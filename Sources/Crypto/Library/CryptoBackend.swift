// CryptoBackend: OpenSSL and libsodium behind types that cannot be misused.
// It knows algorithms, keys and certificates, and where the libraries keep their memory.
// It must not know policy, files, formats of our own or what a key is for.

import CLinux
import COpenSSL
import CSodium
import Host

/// Typed wrappers around OpenSSL 3 and libsodium, without policy and without formats of our own.
package enum CryptoBackend {
  /// Initialises both libraries; a second call does nothing.
  ///
  /// It must precede every other use of OpenSSL, which from then on allocates only in the arena.
  /// OpenSSL's configuration files and environment variables are not read, because they could load
  /// code into this process.
  ///
  /// - Parameter arena: puts OpenSSL's heap into the installed `SecretArena`. Without it the
  ///   process must hold no secrets.
  /// - Throws: `CryptoError.backend` if OpenSSL has already allocated memory or lacks an algorithm.
  package static func start(arena: Bool) throws(CryptoError) {
    try lock.withLock { () throws(CryptoError) in
      guard unsafe !isStarted else { return }
      if arena { try moveHeapIntoArena() }
      // Without its exit handler OpenSSL does not free memory that running threads still use.
      let options = UInt64(OPENSSL_INIT_NO_LOAD_CONFIG) | UInt64(OPENSSL_INIT_NO_ATEXIT)
      guard OPENSSL_init_crypto(options, nil) == 1, sodium_init() >= 0, Fetched.isComplete else {
        throw .backend
      }
      unsafe isStarted = true
    }
  }

  private static let lock = Lock()
  nonisolated(unsafe) private static var isStarted = false

  private static func moveHeapIntoArena() throws(CryptoError) {
    guard SecretArena.usage.kind != nil,
      unsafe CRYPTO_set_mem_functions(
        kist_arena_openssl_malloc, kist_arena_openssl_realloc, kist_arena_openssl_free) == 1
    else { throw .backend }
  }
}

/// A library that the program calls: the version that it was compiled for, and the one that is
/// loaded.
package struct LibraryVersion: Sendable {
  package let name, compiled, loaded: String

  package init(_ name: String, compiled: String, loaded: String) {
    self.name = name
    self.compiled = compiled
    self.loaded = loaded
  }
}

extension CryptoBackend {
  /// Needs no start, and starts nothing.
  package static var libraries: [LibraryVersion] {
    [
      LibraryVersion(
        "OpenSSL", compiled: OPENSSL_FULL_VERSION_STR,
        loaded: unsafe String(cString: OpenSSL_version(OPENSSL_FULL_VERSION_STRING))),
      LibraryVersion(
        "libsodium", compiled: SODIUM_VERSION_STRING,
        loaded: unsafe String(cString: sodium_version_string())),
    ]
  }
}
