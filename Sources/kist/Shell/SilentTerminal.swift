import Format
import Glibc
import Host

/// The controlling terminal with its echo off; the earlier settings are restored on every way out,
/// including signals.
struct SilentTerminal: ~Copyable {
  private let descriptor: Int32
  private let stopsInOrder: Bool

  /// - Parameters:
  ///   - option: what supplies the secret if nobody can type it; nil if nothing does.
  ///   - stopsInOrder: whether the first SIGINT or SIGTERM only ends the open question; a second
  ///     one ends the process.
  /// - Throws: if there is no terminal.
  init(instead option: String?, stopsInOrder: Bool = false) throws(CommandFailure) {
    self.stopsInOrder = stopsInOrder
    descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      throw .failed(
        "there is no terminal to type a secret at" + (option.map { "; give it with \($0)" } ?? ""))
    }
    guard Echo.turnOff(descriptor, stopsInOrder: stopsInOrder) else {
      let code = errno
      close(descriptor)
      throw .failed("the terminal's echo cannot be turned off: \(SystemError.text(code))")
    }
  }

  /// Asks for one line, which is read directly into secret memory.
  func ask(_ prompt: String, limit: Int) throws(CommandFailure) -> SecretBuffer {
    say(prompt)
    // The typed newline was not echoed, either.
    defer { say("\n") }
    try awaitLine()
    return try Input(descriptor: descriptor, name: "the passphrase").secretLine(
      limit: limit, isTyped: true)
  }

  /// Asks for one line with echo; input typed before the question is discarded.
  func askAloud(_ prompt: String, limit: Int) throws(CommandFailure) -> String {
    Echo.set(true, TCSAFLUSH)
    defer { Echo.set(false, TCSADRAIN) }
    say(prompt)
    try awaitLine()
    return try Input(descriptor: descriptor, name: "the terminal").line(limit: limit)
  }

  /// Columns and lines; zeros if the terminal does not say.
  var size: (columns: Int, lines: Int) {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return (0, 0) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Shows a page on the terminal's other screen until Return, then wipes that screen and
  /// everything that scrolled off it.
  func showAlone(_ page: Span<UInt8>) throws(CommandFailure) {
    Echo.enterOtherScreen()
    defer { Echo.leaveOtherScreen() }
    try show(page)
    try awaitLine()
    _ = try Input(descriptor: descriptor, name: "the terminal").line(limit: 1024)
  }

  /// Shows text to everybody.
  func show(_ text: String) throws(CommandFailure) {
    let bytes = Array(Printable.lines(text).utf8)
    try show(bytes.span)
  }

  /// - Throws: if a signal that stops in order came before a line was typed.
  private func awaitLine() throws(CommandFailure) {
    guard !stopsInOrder || Interrupt.isLineTyped(at: descriptor) else {
      throw .failed("stopped by a signal")
    }
  }

  private func say(_ text: String) { try? show(text) }

  private func show(_ text: Span<UInt8>) throws(CommandFailure) {
    var done = 0
    while done < text.count {
      let count = unsafe text.withUnsafeBytes {
        unsafe write(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .failed("the terminal is gone") }
      done += count
    }
  }

  deinit {
    Echo.restore()
    close(descriptor)
  }
}

/// One terminal's echo, and the handling of signals that would leave it off.
private enum Echo {
  // For the signal handler; set before it is installed.
  nonisolated(unsafe) static var terminal: Int32 = -1
  nonisolated(unsafe) static var before = termios()
  nonisolated(unsafe) static var handlers: [(signal: Int32, handler: sighandler_t?)] = []

  // xterm's other screen has no scrollback; before leaving it, wipe it and what a terminal may keep
  // of it (3J).
  static let enter: StaticString = "\u{1B}[?1049h\u{1B}[2J\u{1B}[H"
  static let leave: StaticString = "\u{1B}[2J\u{1B}[3J\u{1B}[H\u{1B}[?1049l"
  nonisolated(unsafe) static var isOnOtherScreen = false

  static func enterOtherScreen() {
    unsafe isOnOtherScreen = true
    unsafe write(terminal, enter.utf8Start, enter.utf8CodeUnitCount)
  }

  static func leaveOtherScreen() {
    unsafe write(terminal, leave.utf8Start, leave.utf8CodeUnitCount)
    unsafe isOnOtherScreen = false
  }

  static func turnOff(_ descriptor: Int32, stopsInOrder: Bool) -> Bool {
    var settings = termios()
    guard unsafe tcgetattr(descriptor, &settings) == 0 else { return false }
    unsafe (terminal, before) = (descriptor, settings)
    catchSignals()
    if stopsInOrder {
      guard Interrupt.prepare() else { return false }
      for signal in [SIGINT, SIGTERM] { Glibc.signal(signal, noteOrDie) }
    }
    settings.c_lflag &= ~tcflag_t(ECHO | ECHONL)
    // Flushing drops what was typed too early, with echo.
    guard unsafe tcsetattr(descriptor, TCSAFLUSH, &settings) == 0 else {
      releaseSignals()
      return false
    }
    return true
  }

  /// To be called between `turnOff` and `restore`.
  static func set(_ isOn: Bool, _ when: Int32) {
    var settings = unsafe before
    if !isOn { settings.c_lflag &= ~tcflag_t(ECHO | ECHONL) }
    unsafe tcsetattr(terminal, when, &settings)
  }

  /// Flushing drops the rest of a line that was too long, which the shell would otherwise run as a
  /// command.
  static func restore() {
    unsafe tcsetattr(terminal, TCSAFLUSH, &before)
    releaseSignals()
  }

  private static func catchSignals() {
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      unsafe handlers.append((signal, Glibc.signal(signal, restoreAndDie)))
    }
    // Suspending would leave the shell a terminal without echo.
    unsafe handlers.append((SIGTSTP, Glibc.signal(SIGTSTP, SIG_IGN)))
  }

  private static func releaseSignals() {
    for (signal, handler) in unsafe handlers { Glibc.signal(signal, handler) }
    unsafe handlers.removeAll()
  }

  private static let noteOrDie: sighandler_t = { signal in
    if Interrupt.isPending { restoreAndDie(signal) } else { Interrupt.note(signal) }
  }

  /// Calls only functions that POSIX lists as safe in a handler; then dies of the signal, as its
  /// sender expects.
  private static let restoreAndDie: sighandler_t = { signal in
    if unsafe isOnOtherScreen { unsafe write(terminal, leave.utf8Start, leave.utf8CodeUnitCount) }
    unsafe tcsetattr(terminal, TCSAFLUSH, &before)
    unsafe write(terminal, "\n", 1)
    Glibc.signal(signal, SIG_DFL)
    raise(signal)
  }
}

/// A signal that stops a ceremony: the last checkpoint is shown first, then the process ends by
/// that signal.
enum Interrupt {
  // Set by the signal handler; 0 before.
  nonisolated(unsafe) private static var signal: Int32 = 0
  // The two ends of a pipe. The handler writes to it, so that a signal that comes just before a
  // wait ends the wait, too.
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
    var waiting = unsafe [terminal, reading].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
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
