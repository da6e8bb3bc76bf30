internal import Glibc

/// Small texts of the kernel's, which have no size before they are read.
enum ProcFile {
  private static let cap = 4096

  /// The text, or nil where it cannot be read.
  static func read(_ path: String) -> String? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: cap) { buffer, count in
      count = max(0, unsafe Glibc.read(descriptor, buffer.baseAddress, cap))
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// What a symbolic link names, or nil.
  static func target(of path: String) -> String? {
    let bytes = unsafe [CChar](unsafeUninitializedCapacity: cap) { buffer, count in
      count = max(0, unsafe buffer.baseAddress.map { unsafe readlink(path, $0, cap) } ?? 0)
    }
    guard !bytes.isEmpty else { return nil }
    return String(validating: bytes.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
