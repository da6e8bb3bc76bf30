import Configuration
import Format
import Host
import Policy

/// The daemon's command line.
enum Arguments {
  private static let usage = """
    Usage: kistd [--config FILE] [--check-config | --moved]
           kistd [--config FILE] --reload PID | --accounts
           kistd --version [--verbose]

    Holds merchants' and issuers' keys and does the payment cryptography itself. It
    reads and checks the files, and then becomes kistd-keys, which reads none.

      --config FILE   the configuration (default /etc/kist/kist.toml)
      --check-config  read and check the configuration and the policy, then exit
      --reload PID    have that daemon take the files anew, wait, and fail if it
                      refuses; for the unit's ExecReload=
      --accounts      put down who is who (/etc/passwd, /etc/group, /etc/subuid) for a
                      daemon that runs: SIGURG has it take that, and nothing else
      --moved         open a key store that was last opened on another machine, which
                      must not use it any more; for one start
      --version       print the version; with --verbose after it, also those of the
                      libraries, compiled for and loaded, and of the compiler
      -h, --help      print this

    Signals: SIGTERM stops in order; SIGHUP and SIGURG take what --reload and
    --accounts have put down; without them SIGHUP changes nothing.
    Exit codes are those of sysexits.h; see kistd(8).

    """

  static func run(_ words: some Sequence<String>) -> ExitCode {
    var path = DaemonConfiguration.defaultPath
    var task: Task?
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      switch word {
      case "-h", "--help": return Diagnostics.answer(usage)
      case "--version":
        guard rest.isEmpty || rest == ["--verbose"] else {
          return misunderstood("--version takes --verbose and nothing else")
        }
        return version(isVerbose: !rest.isEmpty)
      case "--check-config", "--moved", "--reload", "--accounts":
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
    let manager = ServiceManager()
    do throws(StartFailure) {
      let path = try absolute(path)
      switch task ?? .run(isMoved: false) {
      case .check: _ = try Handover.read(path).bytes()
      case .reload(let process): try Handover.reload(process, path, manager)
      case .accounts: try Handover.accounts(path)
      case .run(let isMoved):
        // Those for the daemon wait until it is there; kistd-keys inherits the mask.
        Signals.block()
        let frame = try Handover.read(path)
        // Of a reload that was killed.
        Handover.forget(frame.configuration)
        try KeyProgram.take(frame, isMoved: isMoved)
      }
      return .ok
    } catch {
      if case .run = task ?? .run(isMoved: false) { manager.note(failedStart: error) }
      return error.complain()
    }
  }

  /// kistd-keys knows its own libraries.
  private static func version(isVerbose: Bool) -> ExitCode {
    guard isVerbose else { return Diagnostics.answer("kistd \(ProductVersion.text)\n") }
    do throws(StartFailure) { try KeyProgram.run(["--version"]) } catch { return error.complain() }
  }

  private static func absolute(_ path: String) throws(StartFailure) -> String {
    do throws(ConfigurationError) { return try TrustedPath.absolute(path) } catch {
      throw StartFailure(error)
    }
  }

  private enum Task {
    case check
    case reload(Int32)
    case accounts
    case run(isMoved: Bool)

    /// - Returns: nil if the option's value is missing or none.
    init?(_ option: String, _ rest: inout ArraySlice<String>) {
      switch option {
      case "--check-config": self = .check
      case "--accounts": self = .accounts
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
