internal import CryptoBackend
internal import SecretMemory

/// KBEK and KBAK, derived from a KBPK with AES-CMAC as the pseudo-random function (X9.143 §7.3.3, version D).
struct BlockKeys: ~Copyable {
  let kbek: SecretBuffer
  let kbak: SecretBuffer

  /// - Throws: `KeyBlockError.kbpk` unless `kbpk` is 16, 24 or 32 bytes.
  init(kbpk: Span<UInt8>) throws(KeyBlockError) {
    guard let algorithm = Algorithm(byteCount: kbpk.count) else { throw .kbpk }
    let kbek = try Self.derive(kbpk, .encryption, algorithm)
    let kbak = try Self.derive(kbpk, .authentication, algorithm)
    self.kbek = kbek
    self.kbak = kbak
  }

  private enum Usage: UInt8 {
    case encryption = 0
    case authentication = 1
  }

  private enum Algorithm: UInt8 {
    case aes128 = 2
    case aes192 = 3
    case aes256 = 4

    init?(byteCount: Int) {
      switch byteCount {
      case 16: self = .aes128
      case 24: self = .aes192
      case 32: self = .aes256
      default: return nil
      }
    }
  }

  private static func derive(_ kbpk: Span<UInt8>, _ usage: Usage, _ algorithm: Algorithm) throws(KeyBlockError) -> SecretBuffer {
    do throws(CryptoError) {
      return try expand(kbpk, [usage.rawValue, 0, 0, algorithm.rawValue])
    } catch {
      throw .crypto(error)
    }
  }

  /// CMAC(KBPK, counter ‖ 00 ‖ usage ‖ 00 ‖ 00 ‖ algorithm ‖ bits) for counters 1 and 2, as many bytes as the KBPK has.
  private static func expand(_ kbpk: Span<UInt8>, _ label: [UInt8]) throws(CryptoError) -> SecretBuffer {
    var key = try KeyBlock.buffer(kbpk.count)
    let bits = UInt16(kbpk.count * 8)
    var counter: UInt8 = 1
    for offset in stride(from: 0, to: kbpk.count, by: KeyBlock.macCount) {
      let input = [counter, 0] + label + [UInt8(bits >> 8), UInt8(truncatingIfNeeded: bits)]
      let part = try AESCMAC.derive(key: kbpk, message: input.span)
      var bytes = key.mutableBytes
      bytes.copy(part.bytes.extracting(first: min(KeyBlock.macCount, kbpk.count - offset)), at: offset)
      counter += 1
    }
    return key
  }
}
