package import Host

extension Span where Element == UInt8 {
  /// Equality for values that are not secret.
  package func elementsEqual(_ other: [UInt8]) -> Bool {
    guard count == other.count else { return false }
    for i in indices where self[i] != other[i] { return false }
    return true
  }

  package func hasPrefix(_ prefix: [UInt8]) -> Bool {
    count >= prefix.count && extracting(0..<prefix.count).elementsEqual(prefix)
  }

  /// A copy, for values that are not secret.
  var array: [UInt8] {
    // All empty arrays share one object, so many threads would write its reference count at once.
    guard !isEmpty else { return [] }
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { out, written in
      for i in indices { unsafe out.initializeElement(at: i, to: self[i]) }
      written = count
    }
  }
}

extension SecretBuffer {
  /// A zeroed buffer of `count` bytes; throws this module's error.
  package static func make(_ count: Int) throws(CryptoError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(count: count) } catch {
      throw .exhausted
    }
  }

  /// A copy of `source`; throws this module's error.
  package static func make(copying source: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(copying: source) } catch {
      throw .exhausted
    }
  }
}

// The only bridge from spans to C. A pointer is valid while the span's owner lives, so it is taken
// only from parameters and from owners that are used again after the call. It is never null,
// because some OpenSSL functions take a null pointer to mean "not given".
nonisolated(unsafe) let nothing: UnsafeMutablePointer<UInt8> = {
  let byte = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
  unsafe byte.initialize(to: 0)
  return unsafe byte
}()

extension Span where Element == UInt8 {
  @unsafe package var start: UnsafePointer<UInt8> {
    unsafe withUnsafeBufferPointer { bytes in unsafe bytes.baseAddress ?? UnsafePointer(nothing) }
  }
}

extension MutableSpan where Element == UInt8 {
  @unsafe package var mutableStart: UnsafeMutablePointer<UInt8> {
    mutating get {
      unsafe withUnsafeMutableBufferPointer { bytes in unsafe bytes.baseAddress ?? nothing }
    }
  }
}
