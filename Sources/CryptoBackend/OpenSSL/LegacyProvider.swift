internal import COpenSSL

/// OpenSSL's old algorithms, loaded while this lives.
struct LegacyProvider: ~Copyable {
  private let standard, legacy: Owned

  /// Naming one provider switches off the implicit default one, so both are named.
  static func load() throws(CryptoError) -> LegacyProvider {
    let standard = try unsafe Owned(OSSL_PROVIDER_load(nil, "default"), unload)
    let legacy = try unsafe Owned(OSSL_PROVIDER_load(nil, "legacy"), unload)
    return LegacyProvider(standard: standard, legacy: legacy)
  }

  private static let unload: @convention(c) (OpaquePointer?) -> Void = { provider in
    _ = unsafe OSSL_PROVIDER_unload(provider)
  }
}
