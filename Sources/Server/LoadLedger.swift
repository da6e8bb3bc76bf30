internal import Configuration
internal import Glibc
internal import Threads

/// Keeps `LastLoad` in the runtime directory that the service manager gave the daemon, for `kistd --reload` and `kist status`.
///
/// The file is opened before the process is confined, and stays open.
final class LoadLedger: @unchecked Sendable {
  /// -1 where there is no runtime directory.
  private let descriptor: Int32
  private let lock = Lock()
  // Guarded by `lock`.
  private var count = 0
  private var refused = false

  /// The runtime directory; nil without a service manager.
  static var directory: String? {
    guard let value = unsafe getenv("RUNTIME_DIRECTORY") else { return nil }
    return unsafe String(cString: value)
  }

  init() {
    descriptor = Self.directory.map { unsafe open($0 + "/" + LastLoad.fileName, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o644) } ?? -1
    // For everybody who may ask systemd for the unit's state, whatever the umask is.
    fchmod(descriptor, 0o644)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Whether the files were last found to be such that a start would fail.
  var isRefused: Bool { lock.withLock { refused } }

  func note(wouldStart: Bool) { lock.withLock { refused = !wouldStart } }

  /// Errors are ignored: nobody is served worse if nobody can read how it went.
  func note(refusal: String?) {
    lock.withLock {
      count += 1
      let line = Array(LastLoad(count: count, refusal: refusal).line.utf8)
      // A line that is not whole has no newline.
      ftruncate(descriptor, 0)
      _ = unsafe pwrite(descriptor, line, line.count, 0)
    }
  }
}
