internal import Glibc
internal import Host
internal import Review

/// The last line of a terminal, while it says how far the reading of a log is; whatever else is written there takes its place.
final class ProgressLine: @unchecked Sendable {
  private static let shown = ProgressLine()
  private let lock = Lock()
  private let began = ContinuousClock.now
  /// Guarded by `lock`.
  private var progress = ReadingProgress(end: 0)
  private var isThere = false

  /// Reads this log, and says on a terminal how far it is.
  static func disk(_ directory: String) -> ArchiveDisk {
    guard isatty(STDOUT_FILENO) == 1, isatty(STDERR_FILENO) == 1,
      let end = try? ArchiveDisk().list(directory).compactMap(ReadingProgress.sequence).max()
    else { return ArchiveDisk() }
    shown.lock.withLock { shown.progress = ReadingProgress(end: end) }
    return ArchiveDisk { shown.note($0) }
  }

  private func note(_ reading: ArchiveDisk.Reading) {
    lock.withLock {
      guard let text = progress.note(reading, at: ContinuousClock.now - began) else { return }
      isThere = true
      Output.draw("\r\u{1B}[K" + text)
    }
  }

  static func clear() {
    shown.lock.withLock {
      if shown.isThere { Output.draw("\r\u{1B}[K") }
      shown.isThere = false
    }
  }
}
