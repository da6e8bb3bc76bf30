internal import COpenSSL
internal import SecretMemory

/// Throws `error` unless an OpenSSL function returned 1.
func check(_ result: Int32, or error: CryptoError = .backend) throws(CryptoError) {
  guard result == 1 else { throw failure(error) }
}

/// What a refusal by OpenSSL means: `error`, unless its queue says that memory ran out. Empties the queue.
func failure(_ error: CryptoError) -> CryptoError {
  var isExhausted = false
  while true {
    let code = ERR_get_error()
    guard code != 0 else { return isExhausted ? .exhausted : error }
    isExhausted = isExhausted || ERR_GET_REASON(code) == mallocFailure
  }
}

/// ERR_R_MALLOC_FAILURE, a macro Swift cannot import.
private let mallocFailure: Int32 = 0xC0100

extension SecretBuffer {
  /// A zeroed buffer of `count` bytes, in this module's error.
  static func make(_ count: Int) throws(CryptoError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(count: count) } catch { throw .exhausted }
  }

  /// A copy of `source`, in this module's error.
  static func make(copying source: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(copying: source) } catch { throw .exhausted }
  }
}
