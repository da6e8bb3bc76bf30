internal import Server
internal import Supervision

/// The daemon's command line.
enum Arguments {
  private static let usage = """
    Usage: kistd [--config FILE] [--check-config | --moved]
           kistd --reload PID
           kistd --version [--verbose]

    Holds merchants' and issuers' keys and does the payment cryptography itself.

      --config FILE   the configuration (default /etc/kist/kist.toml)
      --check-config  read and check the configuration and the policy, then exit
      --reload PID    have that daemon reload, wait, and fail if it refuses; for the
                      unit's ExecReload=
      --moved         open a key store that was last opened on another machine, which
                      must not use it any more; for one start
      --version       print the version; with --verbose after it, also those of the
                      libraries, compiled for and loaded, and of the compiler
      -h, --help      print this

    Signals: SIGHUP reloads configuration and policy, SIGTERM stops in order.
    Exit codes are those of sysexits.h; see kistd(8).

    """

  static func run(_ words: some Sequence<String>) -> ExitCode {
    var path = Daemon.defaultConfiguration
    var task: Task?
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      switch word {
      case "-h", "--help": return Diagnostics.answer(usage)
      case "--version":
        guard rest.isEmpty || rest == ["--verbose"] else { return misunderstood("--version takes --verbose and nothing else") }
        return Diagnostics.answer(Daemon.version(isVerbose: !rest.isEmpty))
      case "--check-config", "--moved", "--reload":
        guard task == nil else { return misunderstood("'\(word)' excludes what comes before it") }
        task = Task(word, &rest)
        guard task != nil else { return misunderstood("--reload needs a process id") }
      case "--config":
        guard let value = rest.popFirst() else { return misunderstood("--config needs a file") }
        path = value
      case _ where word.hasPrefix("--config="): path = String(word.dropFirst("--config=".count))
      default: return misunderstood("unknown argument '\(word)'")
      }
    }
    switch task ?? .run(isMoved: false) {
    case .check: return Daemon.check(configuration: path)
    case .reload(let process): return Daemon.reload(process)
    case .run(let isMoved): return Daemon.run(configuration: path, isMoved: isMoved)
    }
  }

  private enum Task {
    case check
    case reload(Int32)
    case run(isMoved: Bool)

    /// - Returns: nil if the option's value is missing or none.
    init?(_ option: String, _ rest: inout ArraySlice<String>) {
      switch option {
      case "--check-config": self = .check
      case "--moved": self = .run(isMoved: true)
      default:
        guard let process = rest.popFirst().flatMap({ Int32($0) }), process > 0 else { return nil }
        self = .reload(process)
      }
    }
  }

  private static func misunderstood(_ message: String) -> ExitCode {
    Diagnostics.writeLine("kistd: \(message)\n\n\(usage)")
    return .usage
  }
}
