import COpenSSL
import Host

/// Owns a BIGNUM, wiped when freed.
struct BigNumber: ~Copyable {
  /// In bytes: twice the size of any number in a key that we accept.
  static let maximumSize = 1024

  private let owner: Owned

  /// Reads an unsigned big-endian number.
  init(_ bytes: Span<UInt8>) throws(CryptoError) {
    guard bytes.count <= Self.maximumSize else { throw .invalidInput }
    owner = try unsafe Owned(BN_bin2bn(bytes.start, Int32(bytes.count), nil), BN_clear_free)
  }

  /// Reads a number from a key.
  init(_ name: String, of key: OpaquePointer) throws(CryptoError) {
    var number: OpaquePointer?
    try unsafe check(EVP_PKEY_get_bn_param(key, name, &number))
    owner = try unsafe Owned(number, BN_clear_free)
  }

  /// Zero, for OpenSSL to write to.
  init() throws(CryptoError) { owner = try unsafe Owned(BN_new(), BN_clear_free) }

  @unsafe var pointer: OpaquePointer { unsafe owner.pointer }

  /// Writes it big-endian, with leading zeros, so that it fills `out`.
  func write(into out: inout MutableSpan<UInt8>) throws(CryptoError) {
    guard unsafe BN_bn2binpad(pointer, out.mutableStart, Int32(out.count)) == out.count else {
      throw failure(.backend)
    }
  }
}

extension BigNumber {
  func times(_ other: borrowing BigNumber) throws(CryptoError) -> BigNumber {
    let product = try BigNumber()
    let scratch = try unsafe Owned(BN_CTX_new(), BN_CTX_free)
    try unsafe check(BN_mul(product.pointer, pointer, other.pointer, scratch.pointer))
    return product
  }

  func minusOne() throws(CryptoError) -> BigNumber {
    let less = try BigNumber()
    try unsafe check(BN_sub(less.pointer, pointer, BN_value_one()))
    return less
  }

  func equals(_ other: borrowing BigNumber) -> Bool { unsafe BN_cmp(pointer, other.pointer) == 0 }

  func isOne(modulo divisor: borrowing BigNumber) throws(CryptoError) -> Bool {
    let rest = try BigNumber()
    let scratch = try unsafe Owned(BN_CTX_new(), BN_CTX_free)
    guard unsafe BN_is_zero(divisor.pointer) == 0 else { return false }
    try unsafe check(BN_div(nil, rest.pointer, pointer, divisor.pointer, scratch.pointer))
    return unsafe BN_is_one(rest.pointer) == 1
  }
}
