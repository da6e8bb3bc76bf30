// Supervision: what a daemon and whoever starts it say to one another: log lines, signals, notifications, exit codes.
// It knows standard error and the service manager's socket.
// It must not know what the daemon does.

internal import Encoding
internal import Glibc

/// Log lines on standard error for the person on call: `level=info event=… key=value`, never a payload.
package enum Diagnostics {
  package enum Level: String, Sendable { case info, warning, error }

  /// The program's own name, as it was started.
  private static let program = Printable.field(CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "kistd")

  package static func write(_ level: Level, _ event: String, _ values: [(String, String)] = []) {
    var line = "\(program) level=\(level.rawValue) event=\(quoted(event))"
    for (key, value) in values { line += " \(key)=\(quoted(value))" }
    writeLine(line)
  }

  /// Writes one line to standard error.
  package static func writeLine(_ line: String) { write(Printable.lines(line) + "\n", to: STDERR_FILENO) }

  /// Writes requested output, such as the usage text, to standard output.
  package static func writeOutput(_ text: String) { write(text, to: STDOUT_FILENO) }

  /// A single write keeps the lines of several threads apart; a line that a full pipe does not take is lost.
  private static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBufferPointer { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }

  /// Escapes quotes and unprintable characters, so that a path cannot forge a line.
  private static func quoted(_ text: String) -> String {
    let plain = text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value < 0x7F && $0 != "\"" && $0 != "=" && $0 != "\\" }
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
