// Supervision: what a daemon and whoever starts it say to one another: log lines, signals,
// notifications, exit codes.
// It knows standard error and the service manager's socket.
// It must not know what the daemon does.

import CLinux
import Format
import Glibc

/// Log lines on standard error for the person on call: `level=info event=… key=value`, never a
/// payload.
package enum Diagnostics {
  package enum Level: String, Sendable {
    case info, warning, error

    /// Its number in syslog(3), which the journal takes from `<N>` in front of a line.
    fileprivate var priority: Int {
      switch self {
      case .info: 6
      case .warning: 4
      case .error: 3
      }
    }
  }

  /// The program's own name, as it was started.
  private static let program = Printable.field(
    CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "kistd")

  /// To be called before anything is opened: where standard error is closed, a file of the daemon's
  /// would get its number, and then log lines.
  package static func begin() {
    // While the numbers can still be asked for.
    _ = isJournal
    guard kist_hold_standard_descriptors() != 0 else { return }
    writeLine(
      "\(program): standard input, output or error is closed, and /dev/null cannot be opened in its place"
    )
    exit(ExitCode.osError.rawValue)
  }

  package static func write(_ level: Level, _ event: String, _ values: [(String, String)] = []) {
    var line = "level=\(level.rawValue) event=\(quoted(event))"
    for (key, value) in values { line += " \(key)=\(quoted(value))" }
    lock.withLock {
      unsafe limit.say(line, at: kist_monotonic_nanoseconds()) {
        put("\(program) \(line)\($0 > 0 ? " unsaid=\($0)" : "")", level)
      }
    }
  }

  /// Writes one line to standard error, if its reader takes it: what ends the program.
  package static func writeLine(_ line: String) { lock.withLock { _ = put(line, .error) } }

  /// Whether standard error is the journal's, which systemd.exec(5) tells by the file's numbers.
  private static let isJournal: Bool = {
    var status = stat()
    guard let stream = unsafe getenv("JOURNAL_STREAM"), unsafe fstat(STDERR_FILENO, &status) == 0
    else { return false }
    return unsafe String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
  }()

  private static let lock = Lock()
  /// Guarded by `lock`.
  nonisolated(unsafe) private static var limit = LineLimit()

  /// Called under the lock, which keeps the lines of several threads apart. Whatever nobody reads
  /// is lost: no caller may wait for that.
  private static func put(_ line: String, _ level: Level) -> Bool {
    let priority = isJournal ? "<\(level.priority)>" : ""
    var rest = Array(
      Printable.lines(line).lines(omittingEmpty: false).map { priority + $0 + "\n" }.joined().utf8)[
        ...]
    while !rest.isEmpty {
      var place = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
      guard unsafe poll(&place, 1, 0) == 1 else { return false }
      // What is ready takes this much at once.
      let count = unsafe rest.prefix(Int(PIPE_BUF)).withUnsafeBufferPointer {
        unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count)
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Writes requested output, such as the usage text, to standard output, whole.
  package static func answer(_ text: String) -> ExitCode {
    let bytes = Array(text.utf8)
    guard
      unsafe bytes.withUnsafeBytes({
        unsafe kist_write_all(STDOUT_FILENO, $0.baseAddress, $0.count)
      }) != 0
    else { return .ok }
    writeLine("\(program): standard output: \(unsafe String(cString: strerror(errno)))")
    return .osError
  }

  /// Escapes quotes and unprintable characters, so that a path cannot forge a line.
  private static func quoted(_ text: String) -> String {
    let plain = text.unicodeScalars.allSatisfy {
      $0.value > 0x20 && $0.value < 0x7F && $0 != "\"" && $0 != "=" && $0 != "\\"
    }
    guard !plain || text.isEmpty else { return text }
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": out += "\\\(scalar)"
      case _ where Printable.isPrintable(scalar): out.unicodeScalars.append(scalar)
      default: out += Printable.number(scalar)
      }
    }
    return out + "\""
  }
}

/// Which log lines are said: each at most once a second, and not too many different ones.
package struct LineLimit: Sendable {
  /// The lines of the last second, with when they were said, in nanoseconds.
  private var recent: [String: Int64] = [:]
  /// Those that were not said, or that nobody took, since the last one that was written.
  private var unsaid = 0

  package init() {}

  /// - Parameters:
  ///   - now: nanoseconds of a clock that never goes back.
  ///   - write: writes the line, with how many were not said before it, unless nobody takes it;
  ///     returns whether somebody did.
  package mutating func say(_ line: String, at now: Int64, _ write: (_ unsaid: Int) -> Bool) {
    recent = recent.filter { now - $0.value < Self.second }
    guard recent[line] == nil, recent.count < Self.different, write(unsaid) else {
      unsaid += 1
      return
    }
    recent[line] = now
    unsaid = 0
  }

  private static let second: Int64 = 1_000_000_000
  /// The most lines in a second.
  private static let different = 64
}

/// Why the daemon did not start, with the exit code and a sentence that says what to do next.
package struct StartFailure: Error {
  package let code: ExitCode
  package let message: String

  package init(_ code: ExitCode, _ message: String) {
    self.code = code
    self.message = message
  }

  package func complain() -> ExitCode {
    Diagnostics.writeLine("kistd: \(message)")
    return code
  }
}

extension ServiceManager {
  /// Tells of a start that failed, and keeps it where people look.
  package func note(failedStart failure: StartFailure, _ ledger: LoadLedger? = LoadLedger()) {
    tell(.status(failure.message))
    ledger?.note(refusal: failure.message, isStart: true)
    // The unit has a daemon that was killed replaced at once; what a mistake keeps from starting
    // must not fill the journal meanwhile.
    if isThere { sleep(2) }
  }
}

/// The daemon's exit codes, from `sysexits.h`.
package enum ExitCode: Int32, Sendable {
  case ok = 0
  case usage = 64
  case badData = 65
  case unavailable = 69
  case software = 70
  case osError = 71
  case cannotCreate = 73
  case auditIO = 74
  case noPermission = 77
  case configuration = 78
}
