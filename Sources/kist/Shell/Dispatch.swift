internal import Encoding
internal import Threads
internal import Wire

/// From the words of the command line to an exit code: 0 done, 1 refused or failed, 2 not understood.
enum Dispatch {
  static func run(_ words: [String]) -> Int32 {
    switch words.first {
    case nil: return misunderstood(nil, Help.overview)
    case "-h", "--help": return answered(Help.overview)
    case "--version": return answered("kist \(ProductVersion.text)\n")
    case .some: break
    }
    guard let (command, rest) = find(words) else { return unknown(words) }
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "-h" || $0 == "--help" }) { return answered(command.usage) }
    return run(command, rest)
  }

  private static func run(_ command: Command, _ words: ArraySlice<String>) -> Int32 {
    do throws(CommandFailure) {
      try carryOut(command, Arguments(words, for: command))
      return 0
    } catch {
      if error.code == 2 { return misunderstood(error.message, command.usage) }
      if let message = error.message { Output.complain(error.isLocated ? "\(message)\n" : "kist \(command.name): \(Printable.line(message))\n") }
      Interrupt.end()
      return error.code
    }
  }

  private static func carryOut(_ command: Command, _ arguments: Arguments) throws(CommandFailure) {
    guard command.handlesSecrets else { return try command.run(arguments) }
    try Hardening.prepareForSecrets()
    try SecretStack.run { () throws(CommandFailure) in try command.run(arguments) }
  }

  /// The command whose name the first words form; the longest such name wins.
  private static func find(_ words: [String]) -> (Command, ArraySlice<String>)? {
    let named = CommandTable.rows.map { ($0, $0.name.split(separator: " ").map(String.init)) }
    guard let (command, name) = named.filter({ words.starts(with: $0.1) }).max(by: { $0.1.count < $1.1.count }) else { return nil }
    return (command, words.dropFirst(name.count))
  }

  private static func unknown(_ words: [String]) -> Int32 {
    guard let noun = Help.noun(words[0]) else { return misunderstood("unknown command '\(words[0])'", Help.overview) }
    guard words.count > 1 else { return misunderstood(nil, noun) }
    if words[1] == "-h" || words[1] == "--help" { return answered(noun) }
    return misunderstood("unknown command '\(words[0]) \(words[1])'", noun)
  }

  private static func answered(_ text: String) -> Int32 {
    Output.write(text)
    return 0
  }

  private static func misunderstood(_ message: String?, _ usage: String) -> Int32 {
    if let message { Output.complain("kist: \(Printable.line(message))\n\n") }
    Output.complain(usage)
    return 2
  }
}
