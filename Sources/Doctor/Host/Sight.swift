import CAttributes
import Configuration
import Glibc
import Host

/// What `lstat(2)` says of a file.
struct FileFacts {
  enum Kind { case file, directory, link, socket, other }

  let kind: Kind
  let owner, group: UInt32
  /// Permission bits.
  let mode: UInt32
  let size: Int
  /// When it was last made, changed or put in place, in seconds since 1970.
  var changed: Int64 = 0

  /// In octal, four digits.
  var modeText: String { FileFacts.text(mode: mode) }

  static func text(mode: UInt32) -> String { "0" + String(mode, radix: 8) }
}

/// What there is at a path, as far as this user may see.
enum Sight {
  case there(FileFacts)
  case absent
  /// A directory above it may not be searched by this user.
  case hidden
}

extension Surroundings {
  func look(at path: String) -> Sight {
    var status = stat()
    guard unsafe lstat(root + path, &status) == 0 else {
      return errno == EACCES ? .hidden : .absent
    }
    let kind: FileFacts.Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .directory
      case S_IFLNK: .link
      case S_IFSOCK: .socket
      default: .other
      }
    return .there(
      FileFacts(
        kind: kind, owner: status.st_uid, group: status.st_gid,
        mode: UInt32(status.st_mode) & 0o7777, size: Int(status.st_size),
        changed: Int64(status.st_ctim.tv_sec)))
  }

  /// The access control list of a file, as the kernel keeps it; nil if it has none.
  func accessList(of path: String) -> [UInt8]? {
    var list = [UInt8](repeating: 0, count: 4096)
    let count = unsafe getxattr(root + path, "system.posix_acl_access", &list, list.count)
    return count > 0 ? Array(list.prefix(count)) : nil
  }

  func has(_ path: String) -> Bool { if case .absent = look(at: path) { false } else { true } }

  /// The text of a small file; nil if there is none or it cannot be read.
  func text(_ path: String) -> String? {
    (try? TextFile.read(root + path)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The only line of a file of /proc or /sys.
  func line(_ path: String) -> String? { text(path).map { String($0.prefix { $0 != "\n" }) } }

  /// Ascending; empty if it cannot be read.
  func names(in directory: String) -> [String] { (try? LinuxDisk().list(root + directory)) ?? [] }

  /// A path of a message as people know it.
  func shown(_ message: String) -> String {
    guard !root.isEmpty, message.hasPrefix(root) else { return message }
    return String(message.dropFirst(root.count))
  }
}
