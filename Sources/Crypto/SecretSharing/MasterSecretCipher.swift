package import Host

/// The four-round Feistel network that encrypts a secret before it is split (SLIP-0039 "Encryption
/// of the master secret").
///
/// With an empty passphrase it hides nothing; it is here because the standard demands it.
package struct MasterSecretCipher {
  private static let rounds: [UInt8] = [0, 1, 2, 3]
  /// The test vectors go up to 3; each further step doubles the work.
  private static let largestExponent = 3
  private let split: Split

  package init(split: Split) { self.split = split }

  package func encrypt(_ secret: Span<UInt8>, passphrase: Span<UInt8>) throws(SharingError)
    -> SecretBuffer
  {
    try run(Self.rounds, secret, passphrase)
  }

  package func decrypt(_ encrypted: Span<UInt8>, passphrase: Span<UInt8>) throws(SharingError)
    -> SecretBuffer
  {
    try run(Self.rounds.reversed(), encrypted, passphrase)
  }

  private func run(_ rounds: [UInt8], _ input: Span<UInt8>, _ passphrase: Span<UInt8>)
    throws(SharingError) -> SecretBuffer
  {
    guard split.exponent <= Self.largestExponent else { throw .exponent }
    let half = input.count / 2
    var left = try SecretBuffer.copy(of: input.extracting(0..<half))
    var right = try SecretBuffer.copy(of: input.extracting(half..<input.count))
    for round in rounds {
      let mask = try roundMask(round, passphrase, right.bytes)
      var bytes = left.mutableBytes
      for i in 0..<half { bytes[i] ^= mask.bytes[i] }
      swap(&left, &right)
    }
    var output = try SecretBuffer.zeroed(input.count)
    var out = output.mutableBytes
    out.copy(right.bytes)
    out.copy(left.bytes, at: half)
    return output
  }

  /// PBKDF2(round ‖ passphrase, salt ‖ right half).
  private func roundMask(_ round: UInt8, _ passphrase: Span<UInt8>, _ right: Span<UInt8>)
    throws(SharingError) -> SecretBuffer
  {
    var password = try SecretBuffer.zeroed(1 + passphrase.count)
    var key = password.mutableBytes
    key[0] = round
    key.copy(passphrase, at: 1)
    let prefix =
      split.isExtendable
      ? []
      : Array("shamir".utf8) + [
        UInt8(split.identifier >> 8), UInt8(truncatingIfNeeded: split.identifier),
      ]
    var salt = try SecretBuffer.zeroed(prefix.count + right.count)
    var bytes = salt.mutableBytes
    bytes.copy(prefix.span)
    bytes.copy(right, at: prefix.count)
    do throws(CryptoError) {
      return try PBKDF2.derive(
        passphrase: password.bytes, salt: salt.bytes, iterations: 2500 << split.exponent,
        prf: .sha256, count: right.count)
    } catch { throw .crypto(error) }
  }
}
