// Crypto: OpenSSL and libsodium behind types that cannot be misused (`Library`), and the two
// standards that are made of them: key blocks (X9.143) and shares of a secret (SLIP-39).
// It knows algorithms, keys and certificates, and where the libraries keep their memory.
// It must not know policy, files, or what a key is for.
// Called by whatever touches a key, a signature or a log; never by Policy, nor by kistd.

import CLinux
import COpenSSL
import CSodium
package import Host

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

/// Why a cryptographic operation failed.
package enum CryptoError: Error, Equatable {
  /// The key's encoding, size or consistency is wrong.
  case invalidKey
  /// A peer's point is badly encoded or not on the curve.
  case invalidPoint
  /// Another argument has a wrong size or form.
  case invalidInput
  /// A tag, padding or unwrapping failed; deliberately one value for all of these.
  case authenticationFailed
  case invalidCertificate
  /// The arena is full.
  case exhausted
  /// OpenSSL or libsodium failed at something that always works: a fault of ours.
  case backend
}

extension CryptoError {
  /// What failed, in a few words; of the data it says nothing.
  package var text: String {
    switch self {
    case .exhausted: "no memory for secrets is left"
    case .invalidKey, .invalidPoint, .invalidInput, .authenticationFailed, .invalidCertificate,
      .backend:
      "a cryptographic operation failed"
    }
  }
}

/// Throws `error` unless an OpenSSL function returned 1.
func check(_ result: Int32, or error: CryptoError = .backend) throws(CryptoError) {
  guard result == 1 else { throw failure(error) }
}

/// The meaning of a failed call: `error`, unless OpenSSL's error queue says that memory ran out.
package func failure(_ error: CryptoError) -> CryptoError {
  OpenSSLErrors.drain().isExhausted ? .exhausted : error
}

/// A summary of this thread's error queue; its texts are never used.
package struct OpenSSLErrors {
  package private(set) var isExhausted = false
  /// No loaded provider has the algorithm.
  package private(set) var isUnsupported = false
  /// A PKCS #12 file was made with another passphrase.
  package private(set) var isWrongMAC = false

  /// Empties the queue.
  package static func drain() -> OpenSSLErrors {
    var errors = OpenSSLErrors()
    while true {
      let code = ERR_get_error()
      guard code != 0 else { return errors }
      let reason = ERR_GET_REASON(code)
      if reason == mallocFailure { errors.isExhausted = true }
      if reason == unsupported { errors.isUnsupported = true }
      if ERR_GET_LIB(code) == ERR_LIB_PKCS12 && reason == PKCS12_R_MAC_VERIFY_FAILURE {
        errors.isWrongMAC = true
      }
    }
  }

  // ERR_R_MALLOC_FAILURE and ERR_R_UNSUPPORTED, macros that Swift cannot import.
  private static let mallocFailure: Int32 = 0xC0100
  private static let unsupported: Int32 = 0x8010C
}

/// The kernel's random generator, directly into the caller's memory: we keep no generator state
/// that could leak or be forked.
package enum Random {
  package static func fill(_ out: inout MutableSpan<UInt8>) throws(CryptoError) {
    guard unsafe kist_random(out.mutableStart, out.count) == 0 else { throw .backend }
  }

  /// `count` bytes that are not secret: identifiers, nonces, salts.
  package static func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var out = bytes.mutableSpan
    try fill(&out)
    return bytes
  }

  /// `count` secret bytes.
  package static func secret(count: Int) throws(CryptoError) -> SecretBuffer {
    var secret = try SecretBuffer.make(count)
    var out = secret.mutableBytes
    try fill(&out)
    return secret
  }
}
