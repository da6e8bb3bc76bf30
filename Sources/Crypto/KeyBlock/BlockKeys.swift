import Host

/// KBEK and KBAK of one block: the keys that encrypt and authenticate it, derived from the KBPK
/// (X9.143 §7.3).
struct BlockKeys: ~Copyable {
  let kbek: SecretBuffer
  let kbak: SecretBuffer

  /// - Throws: `KeyBlockError.kbpk` unless `kbpk` is 16, 24 or 32 bytes (version D), 16 or 24 (A,
  ///   B, C).
  init(kbpk: Span<UInt8>, for version: KeyBlockVersion) throws(KeyBlockError) {
    guard let scheme = Scheme(version, byteCount: kbpk.count) else { throw .kbpk }
    let kbek = try onCrypto(scheme.derive(kbpk, .encryption))
    let kbak = try onCrypto(scheme.derive(kbpk, .authentication))
    self.kbek = kbek
    self.kbak = kbak
  }

  private enum Usage: UInt8 {
    case encryption = 0
    case authentication = 1

    /// `E` and `M`.
    var variant: UInt8 {
      switch self {
      case .encryption: 0x45
      case .authentication: 0x4D
      }
    }
  }

  private enum Scheme {
    /// Each byte of the KBPK XORed with a letter (§7.3.1).
    case variant
    /// CMAC as the pseudo-random function; the number names the algorithm of the derived keys
    /// (§7.3.2, §7.3.3).
    case cmac(BlockCipher, UInt8)

    init?(_ version: KeyBlockVersion, byteCount: Int) {
      switch (version, byteCount) {
      case (.a, 16), (.a, 24), (.c, 16), (.c, 24): self = .variant
      case (.b, 16): self = .cmac(.tripleDES, 0)
      case (.b, 24): self = .cmac(.tripleDES, 1)
      case (.d, 16): self = .cmac(.aes, 2)
      case (.d, 24): self = .cmac(.aes, 3)
      case (.d, 32): self = .cmac(.aes, 4)
      case (.a, _), (.b, _), (.c, _), (.d, _): return nil
      }
    }

    /// Derives a key as long as `kbpk`.
    func derive(_ kbpk: Span<UInt8>, _ usage: Usage) throws(CryptoError) -> SecretBuffer {
      var key = try SecretBuffer.make(kbpk.count)
      switch self {
      case .variant:
        var bytes = key.mutableBytes
        for i in kbpk.indices { bytes[i] = kbpk[i] ^ usage.variant }
      case .cmac(let cipher, let algorithm):
        try Self.expand(kbpk, into: &key, usage, cipher, algorithm)
      }
      return key
    }

    /// CMAC(counter ‖ 00 ‖ usage ‖ 00 ‖ 00 ‖ algorithm ‖ bits) for counters from 1, until `key` is
    /// full.
    private static func expand(
      _ kbpk: Span<UInt8>, into key: inout SecretBuffer, _ usage: Usage, _ cipher: BlockCipher,
      _ algorithm: UInt8
    ) throws(CryptoError) {
      let bits = UInt16(key.count * 8)
      var (counter, offset): (UInt8, Int) = (1, 0)
      while offset < key.count {
        let input = [
          counter, 0, usage.rawValue, 0, 0, algorithm, UInt8(bits >> 8),
          UInt8(truncatingIfNeeded: bits),
        ]
        let part = try cipher.secretCMAC(key: kbpk, message: input.span)
        let count = min(part.count, key.count - offset)
        var bytes = key.mutableBytes
        bytes.copy(part.bytes.extracting(first: count), at: offset)
        offset += count
        counter += 1
      }
    }
  }
}
