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
      HMACSHA256.mac, HMAC.sha384, HMAC.sha512, AESCMAC.aes128, AESCMAC.aes192, AESCMAC.aes256,
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
