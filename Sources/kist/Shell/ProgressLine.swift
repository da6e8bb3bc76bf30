import Glibc
import Host
import Review

/// The last line of a terminal, while it says how far the reading of a log is; whatever else is
/// written there takes its place.
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

/// How far the reading of a log is, for a person who waits at a terminal: a place is the sequence
/// in the name of the segment that is open.
struct ReadingProgress {
  /// The first sequence of the log's last segment.
  let end: UInt64
  private var (began, shown, latest) = (Duration.zero, Duration.zero, Duration.zero)
  private var bytes = 0
  private var start: UInt64?
  private var place: UInt64 = 0

  init(end: UInt64) { self.end = end }

  /// What to show of it now, by a clock that only goes forward; nil in its first second, and for
  /// 250 ms after it was shown.
  mutating func note(_ reading: ArchiveDisk.Reading, at now: Duration) -> String? {
    // Whoever follows a log reads a little now and then.
    if now - latest > .seconds(1) { (began, shown, bytes, start) = (now, now, 0, nil) }
    latest = now
    switch reading {
    case .segment(let path): place = Self.sequence(path) ?? place
    case .bytes(let count): bytes += count
    }
    let start = start ?? place
    self.start = start
    guard now - began > .seconds(1), now - shown > .milliseconds(250) else { return nil }
    shown = now
    let said = "record \(place), \(Int(Double(bytes) / 1e6 / ((now - began) / .seconds(1)))) MB/s"
    guard place > start, place < end else { return said }
    let left = ((now - began) * (Double(end - place) / Double(place - start))).components.seconds
    return said + ", \(left / 60) min \(left % 60) s left"
  }

  /// The sequence in the name of a segment.
  static func sequence(_ path: String) -> UInt64? { UInt64(path.dropLast(".log".count).suffix(20)) }
}
