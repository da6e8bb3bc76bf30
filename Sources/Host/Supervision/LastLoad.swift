import Glibc

/// How the daemon's last start or reload went, as it stands in a file beside its sockets.
///
/// One line: how many times configuration and policy were loaded since the daemon started, then
/// `taken`, or `refused: ` and why.
package struct LastLoad: Hashable, Sendable {
  /// 1 is the start.
  package let count: Int
  /// Why they were refused; nil if they were taken.
  package let refusal: String?

  package static let fileName = "last-load"
  /// Likewise of the check whether a daemon would start again.
  package static let nextStart = "next-start"

  package init(count: Int, refusal: String?) {
    self.count = count
    self.refusal = refusal
  }

  package var line: String {
    guard let refusal else { return "\(count) \(Self.taken)\n" }
    return "\(count) \(Self.refused)\(String(refusal.map { $0.isNewline ? " " : $0 }))\n"
  }

  package static let taken = "taken"
  package static let refused = "refused: "
}

/// Keeps `LastLoad` in the runtime directory, for `kistd --reload` and `kist status`.
///
/// The daemon opens it before the process is confined, and it stays open.
package final class LoadLedger: Sendable {
  private let descriptor: Int32

  /// The directory that the service manager gave the daemon, or else the one where its sockets are.
  package static func directory(beside socket: String) -> String {
    directory ?? String(socket[..<(socket.lastIndex(of: "/") ?? socket.startIndex)])
  }

  private static var directory: String? {
    guard let value = unsafe getenv("RUNTIME_DIRECTORY") else { return nil }
    return unsafe String(cString: value)
  }

  /// In the service manager's directory; nil if there is none.
  package convenience init?(_ name: String = LastLoad.fileName) {
    guard let directory = Self.directory else { return nil }
    self.init(in: directory, name)
  }

  package init(in directory: String, _ name: String = LastLoad.fileName) {
    descriptor = unsafe open(
      directory + "/" + name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o644)
    // For everybody who may ask systemd for the unit's state, whatever the umask is.
    fchmod(descriptor, 0o644)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Errors are ignored: nobody is served worse if nobody can read how it went.
  ///
  /// - Parameter isStart: the count begins anew.
  package func note(refusal: String?, isStart: Bool = false) {
    let line = Array(LastLoad(count: isStart ? 1 : 1 + count, refusal: refusal).line.utf8)
    // A line that is not whole has no newline.
    ftruncate(descriptor, 0)
    _ = unsafe pwrite(descriptor, line, line.count, 0)
  }

  /// That of the line that is there, which kistd may have written.
  private var count: Int {
    var bytes = [UInt8](repeating: 0, count: 20)
    let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
    return Int(String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 0x20 }, as: UTF8.self))
      ?? 0
  }
}
