internal import COpenSSL
internal import CSodium

/// A library that the program calls: the version that it was compiled for, and the one that is loaded.
package struct LibraryVersion: Sendable {
  package let name, compiled, loaded: String

  package init(_ name: String, compiled: String, loaded: String) { (self.name, self.compiled, self.loaded) = (name, compiled, loaded) }
}

extension CryptoBackend {
  /// Needs no start, and starts nothing.
  package static var libraries: [LibraryVersion] {
    [
      LibraryVersion("OpenSSL", compiled: OPENSSL_FULL_VERSION_STR, loaded: unsafe String(cString: OpenSSL_version(OPENSSL_FULL_VERSION_STRING))),
      LibraryVersion("libsodium", compiled: SODIUM_VERSION_STRING, loaded: unsafe String(cString: sodium_version_string())),
    ]
  }
}
