import COpenSSL

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
