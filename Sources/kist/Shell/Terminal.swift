import CChild
import Glibc

/// What a terminal has and a pipe has not: pages, and colours.
enum Terminal {
  private static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

  private static func variable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// Shows what is written from now on page by page, as `PAGER` says, or else with less.
  ///
  /// Whoever sets `PAGER` to nothing, or to cat, gets no pager. Under sudo it is not followed: it
  /// would run as somebody else.
  static func page() {
    let named = variable("SUDO_UID") == nil ? variable("PAGER") : nil
    let pager = named ?? (unsafe access("/usr/bin/less", X_OK) == 0 ? "less" : "")
    guard isOutput, isatty(STDIN_FILENO) == 1, !["", "cat"].contains(pager) else { return }
    // From now on Ctrl-C is the pager's; when that ends, so does what writes to it.
    if unsafe kist_page(pager) == 0 { signal(SIGINT, SIG_IGN) }
  }

  /// With colours where there are any; https://no-color.org says how a person turns them off.
  static let hasColours =
    isOutput && (variable("NO_COLOR") ?? "").isEmpty
    && variable("TERM") != "dumb"
}

/// How a word looks on a terminal: a parameter of ECMA-48's SGR.
enum Colour: Int {
  case red = 31
  case green = 32
  case yellow = 33
}
