internal import Crypto
internal import Host

/// Two-key Triple DES: 16 bytes of odd parity, as other machines expect them.
enum TripleDESKey {
  static func generate() throws(CryptoError) -> SecretBuffer {
    var key = try Random.secret(count: 16)
    var bytes = key.mutableBytes
    DESParity.setOdd(&bytes)
    return key
  }
}
