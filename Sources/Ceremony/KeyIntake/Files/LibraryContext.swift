internal import COpenSSL
internal import Crypto

/// A separate OpenSSL library context, with providers that the rest of the process does not see.
@safe struct LibraryContext: ~Copyable {
  let pointer: OpaquePointer
  private var providers: [OpaquePointer]

  /// - Parameter withLegacy: also loads OpenSSL's provider of old algorithms such as RC2.
  static func make(withLegacy: Bool) throws(CryptoError) -> LibraryContext {
    guard let pointer = unsafe OSSL_LIB_CTX_new() else { throw failure(.backend) }
    var context = unsafe LibraryContext(pointer: pointer, providers: [])
    try context.load("default")
    if withLegacy { try context.load("legacy") }
    return context
  }

  private mutating func load(_ name: String) throws(CryptoError) {
    guard let provider = unsafe OSSL_PROVIDER_load(pointer, name) else { throw failure(.backend) }
    unsafe providers.append(provider)
  }

  // Providers must be unloaded before their context is freed.
  deinit {
    unsafe providers.forEach { provider in _ = unsafe OSSL_PROVIDER_unload(provider) }
    unsafe OSSL_LIB_CTX_free(pointer)
  }
}
