internal import COpenSSL

/// Owns one OpenSSL object and frees it with its matching function.
@safe package struct Owned: ~Copyable, @unchecked Sendable {
  package let pointer: OpaquePointer
  private let free: @convention(c) (OpaquePointer?) -> Void

  /// Takes ownership of what an OpenSSL constructor returned; throws if that is nil.
  package init(
    _ pointer: OpaquePointer?, _ free: @escaping @convention(c) (OpaquePointer?) -> Void, or error: CryptoError = .backend
  ) throws(CryptoError) {
    guard let pointer = unsafe pointer else { throw failure(error) }
    unsafe self.pointer = unsafe pointer
    unsafe self.free = unsafe free
  }

  deinit { unsafe free(pointer) }
}
