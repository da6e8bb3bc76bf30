internal import CryptoBackend
internal import SecretMemory

/// KBEK and KBAK, derived from a KBPK with AES-CMAC as the pseudo-random function (X9.143 §7.3.3, version D).
struct BlockKeys: ~Copyable {
  let kbek: SecretBuffer
  let kbak: SecretBuffer

  /// - Throws: `KeyBlockError.kbpk` unless `kbpk` is 16, 24 or 32 bytes.
  init(kbpk: Span<UInt8>) throws(KeyBlockError) {
    guard let algorithm = Algorithm(byteCount: kbpk.count) else { throw .kbpk }
    do throws(CryptoError) {
      kbek = try Self.derive(kbpk, .encryption, algorithm)
      kbak = try Self.derive(kbpk, .authentication, algorithm)
    } catch {
      throw .crypto(error)
    }
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

  /// CMAC(KBPK, counter ‖ usage ‖ 00 ‖ algorithm ‖ bits) for counters 1 and 2, as many bytes as the KBPK has.
  private static func derive(_ kbpk: Span<UInt8>, _ usage: Usage, _ algorithm: Algorithm) throws(CryptoError) -> SecretBuffer {
    var key: SecretBuffer
    do throws(SecretMemoryError) { key = try SecretBuffer(count: kbpk.count) } catch { throw .exhausted }
    let bits = UInt16(kbpk.count * 8)
    var counter: UInt8 = 1
    for offset in stride(from: 0, to: kbpk.count, by: KeyBlock.macCount) {
      let input: [UInt8] = [counter, 0, usage.rawValue, 0, 0, algorithm.rawValue, UInt8(bits >> 8), UInt8(truncatingIfNeeded: bits)]
      let part = try AESCMAC.derive(key: kbpk, message: input.span)
      var bytes = key.mutableBytes
      bytes.copy(part.bytes.extracting(first: min(KeyBlock.macCount, kbpk.count - offset)), at: offset)
      counter += 1
    }
    return key
  }
}
