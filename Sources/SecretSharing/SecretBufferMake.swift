internal import CryptoBackend
package import SecretMemory

extension SecretBuffer {
  /// A zeroed buffer of `count` bytes; throws `SharingError`.
  package static func zeroed(_ count: Int) throws(SharingError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(count: count) } catch { throw .crypto(.exhausted) }
  }

  /// A copy of `source`; throws `SharingError`.
  package static func copy(of source: Span<UInt8>) throws(SharingError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(copying: source) } catch { throw .crypto(.exhausted) }
  }
}
