import Glibc
import Host

/// The path of a sandbox, which must fit the configuration and a socket's address.
enum SandboxPath {
  /// The longest path of a sandbox, in bytes: 107 for a socket's path (unix(7)), less the name of
  /// our socket.
  static let maximumCount = 107 - "/run/admin.sock".utf8.count

  /// A new directory under `$XDG_RUNTIME_DIR`, or under `/tmp`.
  static func makeTemporary() throws(SandboxError) -> String {
    let runtime = unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) }
    let isUsable = runtime.map { unsafe $0.hasPrefix("/") && access($0, W_OK) == 0 } ?? false
    let parent = (isUsable ? runtime : nil) ?? "/tmp"
    var template = Array((parent + "/kist-XXXXXX").utf8CString)
    guard let made = unsafe mkdtemp(&template) else { throw .failed(.makeDirectory) }
    return try prepared(unsafe String(cString: made))
  }

  /// The directory, which must be empty, and is made if it does not exist.
  static func make(_ path: String) throws(SandboxError) -> String {
    do throws(DiskError) {
      try LinuxDisk().makeDirectory(path, mode: 0o711)
    } catch {
      guard error.isPresence else { throw .storage(.disk(error)) }
      let names = try onDisk(LinuxDisk().list(path))
      guard names.isEmpty else { throw .present }
    }
    return try prepared(path)
  }

  /// The path without links, dots and repetitions.
  static func resolve(_ path: String) throws(SandboxError) -> String {
    guard let resolved = unsafe realpath(path, nil) else { throw .failed(.open) }
    defer { unsafe free(resolved) }
    let text = unsafe String(cString: resolved)
    guard text.utf8.count <= maximumCount, text.utf8.allSatisfy(isPlain) else { throw .path }
    return text
  }

  /// Lets other users reach the socket, where policy refuses them, but not list the directory.
  static func letOthersPass(_ path: String) throws(SandboxError) {
    guard unsafe chmod(path, 0o711) == 0 else { throw .failed(.makeDirectory) }
  }

  private static func prepared(_ path: String) throws(SandboxError) -> String {
    try letOthersPass(path)
    return try resolve(path)
  }

  /// Whether it needs no escape in TOML.
  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }
}

extension SandboxError {
  fileprivate static func failed(_ call: DiskError.Call) -> SandboxError {
    .storage(.disk(DiskError(call, errno: errno)))
  }
}
