package import Host

extension SecretBuffer {
  /// A zeroed buffer of `count` bytes; throws this module's error.
  package static func make(_ count: Int) throws(CryptoError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(count: count) } catch { throw .exhausted }
  }

  /// A copy of `source`; throws this module's error.
  package static func make(copying source: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(copying: source) } catch { throw .exhausted }
  }
}
