internal import Server

/// The daemon's command line.
enum Arguments {
  private static let usage = """
    Usage: kistd [--config FILE] [--check-config | --moved]

    Holds merchants' and issuers' keys and does the payment cryptography inside.

      --config FILE   the configuration (default /etc/kist/kist.toml)
      --check-config  read and check the configuration and the policy, then exit
      --moved         open a key store that was last opened on another machine and is
                      not open there any more; for one start
      --version       print the version
      -h, --help      print this

    Signals: SIGHUP reloads configuration and policy, SIGTERM stops in order.
    Exit codes are those of sysexits.h; see kistd(8).

    """

  static func run(_ words: some Sequence<String>) -> ExitCode {
    var path = Daemon.defaultConfiguration
    var (checksOnly, isMoved) = (false, false)
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      switch word {
      case "-h", "--help": return answer(usage)
      case "--version": return answer("kistd \(Daemon.version)\n")
      case "--check-config": checksOnly = true
      case "--moved": isMoved = true
      case "--config":
        guard let value = rest.popFirst() else { return misunderstood("--config needs a file") }
        path = value
      case _ where word.hasPrefix("--config="): path = String(word.dropFirst("--config=".count))
      default: return misunderstood("unknown argument '\(word)'")
      }
    }
    return checksOnly ? Daemon.check(configuration: path) : Daemon.run(configuration: path, isMoved: isMoved)
  }

  private static func answer(_ text: String) -> ExitCode {
    Diagnostics.writeOutput(text)
    return .ok
  }

  private static func misunderstood(_ message: String) -> ExitCode {
    Diagnostics.writeLine("kistd: \(message)\n\n\(usage)")
    return .usage
  }
}
