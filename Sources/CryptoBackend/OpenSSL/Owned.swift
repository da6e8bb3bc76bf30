internal import COpenSSL

/// Owns one OpenSSL object and frees it with its matching function.
@safe struct Owned: ~Copyable, @unchecked Sendable {
  let pointer: OpaquePointer
  private let free: @convention(c) (OpaquePointer?) -> Void

  /// Takes ownership of what an OpenSSL constructor returned; throws if that is nil.
  init(
    _ pointer: OpaquePointer?, _ free: @escaping @convention(c) (OpaquePointer?) -> Void, or error: CryptoError = .backend
  ) throws(CryptoError) {
    guard let pointer = unsafe pointer else { throw failure(error) }
    unsafe self.pointer = unsafe pointer
    unsafe self.free = unsafe free
  }

  deinit { unsafe free(pointer) }
}
