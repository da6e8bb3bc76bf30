import COpenSSL
package import Host

/// Builds a list of OSSL_PARAM values. The octets must live until `build`, which copies everything
/// except the names.
@safe struct Parameters: ~Copyable {
  private let builder: Owned
  private var numbers: [OpaquePointer]

  init() throws(CryptoError) {
    builder = try unsafe Owned(OSSL_PARAM_BLD_new(), OSSL_PARAM_BLD_free)
    unsafe numbers = []
  }

  func add(_ name: StaticString, _ text: StaticString) throws(CryptoError) {
    try unsafe check(
      OSSL_PARAM_BLD_push_utf8_string(
        builder.pointer, name.cString, text.cString, text.utf8CodeUnitCount))
  }

  func add(_ name: StaticString, _ octets: Span<UInt8>) throws(CryptoError) {
    try unsafe check(
      OSSL_PARAM_BLD_push_octet_string(builder.pointer, name.cString, octets.start, octets.count))
  }

  /// Adds an unsigned big-endian number.
  mutating func add(_ name: StaticString, number: Span<UInt8>) throws(CryptoError) {
    guard number.count <= BigNumber.maximumSize else { throw .invalidInput }
    guard let value = unsafe BN_bin2bn(number.start, Int32(number.count), nil) else {
      throw failure(.backend)
    }
    unsafe numbers.append(value)
    try unsafe check(OSSL_PARAM_BLD_push_BN(builder.pointer, name.cString, value))
  }

  func build() throws(CryptoError) -> ParameterList {
    guard let list = unsafe OSSL_PARAM_BLD_to_param(builder.pointer) else {
      throw failure(.backend)
    }
    return unsafe ParameterList(first: list)
  }

  deinit {
    unsafe numbers.forEach { number in unsafe BN_clear_free(number) }
  }
}

/// Owns a finished list, which may contain key bytes; OpenSSL's heap wipes what it frees.
@safe struct ParameterList: ~Copyable {
  let first: UnsafeMutablePointer<OSSL_PARAM>

  fileprivate init(first: UnsafeMutablePointer<OSSL_PARAM>) { unsafe self.first = unsafe first }

  deinit { unsafe OSSL_PARAM_free(first) }
}

extension StaticString {
  /// Literals end with a zero byte and live for ever.
  @unsafe fileprivate var cString: UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}

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
