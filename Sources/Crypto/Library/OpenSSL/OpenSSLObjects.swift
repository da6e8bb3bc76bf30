import COpenSSL
import Host

/// Owns one OpenSSL object and frees it with its matching function.
@safe package struct Owned: ~Copyable, @unchecked Sendable {
  package let pointer: OpaquePointer
  private let free: @convention(c) (OpaquePointer?) -> Void

  /// Takes ownership of what an OpenSSL constructor returned; throws if that is nil.
  package init(
    _ pointer: OpaquePointer?, _ free: @escaping @convention(c) (OpaquePointer?) -> Void,
    or error: CryptoError = .backend
  ) throws(CryptoError) {
    guard let pointer = unsafe pointer else { throw failure(error) }
    unsafe self.pointer = unsafe pointer
    unsafe self.free = unsafe free
  }

  deinit { unsafe free(pointer) }
}

/// Algorithms fetched once for the life of the process, because a fetch takes locks and costs more
/// than a short hash.
@safe struct Fetched: @unchecked Sendable {
  let pointer: OpaquePointer?

  static let sha256 = digest("SHA2-256")
  static let sha384 = digest("SHA2-384")
  static let sha512 = digest("SHA2-512")
  static let aes128GCM = cipher("AES-128-GCM")
  static let aes192GCM = cipher("AES-192-GCM")
  static let aes256GCM = cipher("AES-256-GCM")
  static let aes128CBC = cipher("AES-128-CBC")
  static let aes192CBC = cipher("AES-192-CBC")
  static let aes256CBC = cipher("AES-256-CBC")
  static let tripleDES2CBC = cipher("DES-EDE-CBC")
  static let tripleDES3CBC = cipher("DES-EDE3-CBC")
  static let hkdf = derivation("HKDF")
  static let oneStep = derivation("SSKDF")
  static let x963 = derivation("X963KDF")

  static var isComplete: Bool {
    let all = [
      sha256, sha384, sha512, oneStep, x963, aes128GCM, aes192GCM, aes256GCM, aes128CBC, aes192CBC,
      aes256CBC, tripleDES2CBC, tripleDES3CBC, hkdf,
    ]
    let macs = [
      HMACSHA256.mac, HMAC.sha384, HMAC.sha512, BlockCipher.cmacAES128, BlockCipher.cmacAES192,
      BlockCipher.cmacAES256,
      HOTP.sha1,
    ]
    return all.allSatisfy { unsafe $0.pointer != nil } && macs.allSatisfy { $0 != nil }
  }

  private init(_ pointer: OpaquePointer?) { unsafe self.pointer = unsafe pointer }

  private static func digest(_ name: String) -> Fetched {
    unsafe Fetched(EVP_MD_fetch(nil, name, nil))
  }
  private static func derivation(_ name: String) -> Fetched {
    unsafe Fetched(EVP_KDF_fetch(nil, name, nil))
  }
  private static func cipher(_ name: String) -> Fetched {
    unsafe Fetched(EVP_CIPHER_fetch(nil, name, nil))
  }
}

/// A free list of prepared OpenSSL objects: preparing one can cost as much as the work itself.
///
/// Each object is used by one thread at a time. After a failure it is dropped, because its state is
/// unknown.
final class Prepared<Tool: Sendable>: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`.
  private var idle: [Tool] = []

  /// More than the threads that work at once; objects beyond the limit are freed.
  private static var limit: Int { 16 }

  /// Runs `work` with an idle object that suits, or with a new one.
  func use<Result: ~Copyable>(
    suiting isSuitable: (Tool) -> Bool = { _ in true }, or make: () throws(CryptoError) -> Tool,
    _ work: (Tool) throws(CryptoError) -> Result
  ) throws(CryptoError) -> Result {
    let tool: Tool
    if let found = take(where: isSuitable) { tool = found } else { tool = try make() }
    let result = try work(tool)
    lock.withLock { if idle.count < Self.limit { idle.append(tool) } }
    return result
  }

  private func take(where isSuitable: (Tool) -> Bool) -> Tool? {
    lock.withLock { idle.lastIndex(where: isSuitable).map { idle.remove(at: $0) } }
  }
}

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
