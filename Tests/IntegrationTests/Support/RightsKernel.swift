import CLinux
import Foundation

/// Whether the daemon may use SO_PASSRIGHTS, which Linux has since 6.16.
enum RightsKernel: CaseIterable, Sendable {
  case own, older

  /// x86-64: getsockopt and setsockopt, for this option.
  var launcher: [String] {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "without_call.py")
    switch self {
    case .own: return []
    case .older: return [Oracle.python, script.path, "54:83:2", "55:83:2", "--"]
    }
  }

  /// Whether it refuses whoever sends descriptors to the daemon.
  var refuses: Bool { self == .own && Self.hasOption }

  private static let hasOption: Bool = {
    let socket = kist_unix_socket()
    defer { close(socket) }
    _ = kist_refuse_descriptors(socket)
    let isRefusing = kist_refuse_descriptors(socket) == 0
    if !isRefusing {
      print("SO_PASSRIGHTS: this kernel lacks it, so it is tried as an older one alone")
    }
    return isRefusing
  }()
}
