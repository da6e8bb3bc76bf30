import Configuration
import Crypto
import Format
import Host
import KistClient

/// One thing that `kist` does.
struct Command: Sendable {
  /// The words that name it, such as `policy check`.
  let name: String
  /// One line for the overview: lower case, no period.
  let summary: String
  /// The whole help text, formatted by hand; ends in a newline.
  let usage: String
  /// The command's own options; `Arguments` adds those of every command that speaks to a daemon.
  var options: [Option] = []
  /// nil if it speaks to no daemon.
  var daemon: DaemonUse?
  /// How many operands it takes.
  var operands: ClosedRange<Int> = 0...0
  /// Whether it needs the arena, and runs on a secret stack.
  var handlesSecrets = false
  let run: @Sendable (Arguments) throws(CommandFailure) -> Void

  /// Every option that it takes.
  var allOptions: [Option] { options + (daemon == nil ? [] : DaemonUse.options) }
}

/// `--name` or `-n`, with or without a value.
struct Option: Hashable, Sendable {
  enum Kind: Sendable {
    /// Takes no value.
    case flag
    /// Takes a value, and may be given once.
    case value
    /// Takes a value, and may be given several times.
    case values
  }

  /// Without the dashes.
  let name: String
  let kind: Kind
  /// The letter of its short form.
  let letter: Character?

  static func flag(_ name: String, _ letter: Character? = nil) -> Option {
    Option(name: name, kind: .flag, letter: letter)
  }
  static func value(_ name: String, _ letter: Character? = nil) -> Option {
    Option(name: name, kind: .value, letter: letter)
  }
  static func values(_ name: String) -> Option { Option(name: name, kind: .values, letter: nil) }

  /// The output is for programs.
  static let json = Option.flag("json")
  /// The daemon's socket, if it is not in the usual place.
  static let socket: Option = "socket"
  /// How many seconds to wait for the daemon.
  static let timeout: Option = "timeout"
  /// Waits for a second operator's approval.
  static let wait = Option.flag("wait")
  /// The descriptor from which a passphrase is read, instead of the terminal.
  static let passphraseDescriptor: Option = "passphrase-fd"

  func goes(by word: some StringProtocol) -> Bool {
    word == "--" + name || letter.map { word == "-" + String($0) } ?? false
  }
}

extension Option: ExpressibleByStringLiteral {
  /// The option of that name, with a value that may be given once.
  init(stringLiteral name: String) { self = .value(name) }
}

/// Why a command failed, and its exit code.
struct CommandFailure: Error {
  let code: Int32
  /// For standard error; nil if nothing more need be said.
  let message: String?
  /// Whether each line of the message starts with `FILE:LINE:COLUMN:`, so that a command's name in
  /// front would confuse editors.
  let isLocated: Bool

  init(code: Int32, _ message: String? = nil, isLocated: Bool = false) {
    self.code = code
    self.message = message
    self.isLocated = isLocated
  }

  /// `EX_NOINPUT`: a file or a log that was named cannot be read.
  static let noInput: Int32 = 66
  /// `EX_TEMPFAIL`: the daemon answers, but does not serve now.
  static let temporary: Int32 = 75
  /// It was refused, or it failed.
  static func failed(_ message: String) -> CommandFailure { CommandFailure(code: 1, message) }
  /// One of the operator's files is wrong.
  static func misconfigured(_ error: ConfigurationError) -> CommandFailure {
    misconfigured([error])
  }
  static func misconfigured(_ errors: [ConfigurationError]) -> CommandFailure {
    let code = errors.contains(where: \.isUnreadable) ? noInput : 1
    return CommandFailure(
      code: code, errors.map { Printable.line($0.description) }.joined(separator: "\n"),
      isLocated: true)
  }
  /// The arena is full.
  static let secretMemory = CommandFailure.failed("no memory for secrets is left")
  /// The arguments are wrong.
  static func usage(_ message: String) -> CommandFailure { CommandFailure(code: 2, message) }
}

/// The daemon's socket that a command uses, and how long it waits there; every such command takes
/// `--socket` and `--timeout`.
struct DaemonUse: Sendable {
  /// The environment variable that names the socket.
  let variable: String
  /// The default socket.
  let usual: Endpoint
  /// The default of `--timeout`: how many seconds connecting and each request may take.
  let patience: UInt32
  /// The socket for people who may not connect to the usual one.
  var other: Endpoint?

  static let services = DaemonUse(variable: "KIST_ENDPOINT", usual: .services, patience: 10)
  /// For requests that both sockets serve, and each role may make.
  static let everybody = DaemonUse(
    variable: "KIST_ENDPOINT", usual: .services, patience: 10, other: .operators)
  static let operators = DaemonUse(variable: "KIST_ADMIN_ENDPOINT", usual: .operators, patience: 10)
  /// For requests that take the daemon long: a passphrase, all keys of a store, imported keys.
  static let patientOperators = DaemonUse(
    variable: "KIST_ADMIN_ENDPOINT", usual: .operators, patience: 120)

  static let options: [Option] = [.socket, .timeout]
  static let patienceRange: ClosedRange<UInt32> = 1...86_400
}

// Each runs code of another module, and tells its error as the command's.

func onConfiguration<R>(_ body: @autoclosure () throws(ConfigurationError) -> R)
  throws(CommandFailure) -> R
{
  do throws(ConfigurationError) { return try body() } catch { throw .misconfigured(error) }
}

func onMemory<R: ~Copyable>(_ body: @autoclosure () throws(SecretMemoryError) -> R)
  throws(CommandFailure) -> R
{
  do throws(SecretMemoryError) { return try body() } catch { throw .secretMemory }
}

/// Where only the arena can fail.
func onCrypto<R: ~Copyable>(_ body: @autoclosure () throws(CryptoError) -> R)
  throws(CommandFailure) -> R
{
  do throws(CryptoError) { return try body() } catch { throw .secretMemory }
}

extension CommandFailure {
  /// Damage is no want of permission: it is a finding.
  static func unreadable(_ path: String, _ error: DiskError) -> CommandFailure {
    CommandFailure(code: error == .damaged ? 1 : noInput, "\(path): \(error.text)")
  }
}
