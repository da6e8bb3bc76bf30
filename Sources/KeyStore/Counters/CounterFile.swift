internal import Crypto
internal import Format
internal import Host

/// The file of one key's invocation counter: `kistctr1 ‖ 16 B key id ‖ u64 reserved ‖ HMAC-SHA-256`. [KS-COUNTER]
struct CounterFile {
  static let byteCount = 64

  /// The highest number of invocations that may have happened.
  let reserved: UInt64

  init(reserved: UInt64) { self.reserved = reserved }

  /// - Throws: `KeyStoreError.counter` for a file that was not written by this store for this key.
  init(parsing bytes: [UInt8], of id: KeyID, _ keys: borrowing StoreKeys) throws(KeyStoreError) {
    guard bytes.count == Self.byteCount else { throw .counter(id) }
    reserved = UInt64(bigEndian: bytes.span, at: Self.reservedAt)
    let expected = try serialised(for: id, keys)
    guard ConstantTime.equal(expected.span, bytes.span) else { throw .counter(id) }
  }

  func serialised(for id: KeyID, _ keys: borrowing StoreKeys) throws(KeyStoreError) -> [UInt8] {
    let bytes = Array("kistctr1".utf8) + id.bytes + reserved.bigEndianBytes
    let mac: Digest256
    do throws(CryptoError) { mac = try HMACSHA256.authenticate(key: keys.counters.bytes, bytes.span) } catch { throw .crypto(error) }
    return bytes + mac.bytes
  }

  private static let reservedAt = 24
}
