internal import Glibc

/// A signal that stops a ceremony: the last checkpoint is shown first, then the process ends by that signal.
enum Interrupt {
  // Set by the signal handler; 0 before.
  nonisolated(unsafe) private static var signal: Int32 = 0
  // The two ends of a pipe. The handler writes to it, so that a signal that comes just before a wait ends the wait, too.
  nonisolated(unsafe) private static var reading: Int32 = -1
  nonisolated(unsafe) private static var writing: Int32 = -1

  static var isPending: Bool { unsafe signal != 0 }

  /// Called before the handler is installed; false if there are no descriptors left.
  static func prepare() -> Bool {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return false }
    unsafe (reading, writing) = (ends[0], ends[1])
    return true
  }

  /// Called by the signal handler.
  static func note(_ number: Int32) {
    unsafe signal = number
    var byte: UInt8 = 0
    unsafe write(writing, &byte, 1)
  }

  /// Waits for a line on the terminal; false if a signal came first.
  static func isLineTyped(at terminal: Int32) -> Bool {
    var waiting = unsafe [terminal, reading].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while true {
      let count = unsafe poll(&waiting, 2, -1)
      if isPending { return false }
      if count >= 0 || errno != EINTR { return true }
    }
  }

  /// Ends the process by the signal that came, as its sender expects; does nothing if none came.
  static func end() {
    guard isPending else { return }
    unsafe Glibc.signal(signal, SIG_DFL)
    unsafe raise(signal)
  }
}
