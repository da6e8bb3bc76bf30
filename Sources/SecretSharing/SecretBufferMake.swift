internal import CryptoBackend
internal import SecretMemory

extension SecretBuffer {
  /// A zeroed buffer of `count` bytes; throws this module's error.
  static func make(_ count: Int) throws(SharingError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(count: count) } catch { throw .crypto(.exhausted) }
  }

  /// A copy of `source`; throws this module's error.
  static func make(copying source: Span<UInt8>) throws(SharingError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(copying: source) } catch { throw .crypto(.exhausted) }
  }

  /// `count` random bytes; throws this module's error.
  static func random(_ count: Int) throws(SharingError) -> SecretBuffer {
    do throws(CryptoError) { return try Random.secret(count: count) } catch { throw .crypto(error) }
  }
}
