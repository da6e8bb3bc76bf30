import Configuration
import Format
import Host

/// From the words of the command line to an exit code: 0 done, 1 refused or failed, 2 not
/// understood.
enum Dispatch {
  static func run(_ words: [String]) -> Int32 {
    // Swift has put U+FFFD in the place of bytes that are no UTF-8: nobody meant what is left, and
    // a log would keep it.
    guard !words.contains(where: { $0.unicodeScalars.contains("\u{FFFD}") }) else {
      return misunderstood("an argument is not UTF-8", nil)
    }
    switch words.first {
    case nil: return incomplete(Help.overview)
    // Only words that name a command: what stands behind `--` would be carried out.
    case "help": return run(words.dropFirst().prefix { !$0.hasPrefix("-") } + ["--help"])
    case "-h", "--help": return answered(Help.overview)
    case "--version": return answered("kist \(ProductVersion.text)\n")
    case .some: break
    }
    guard let (command, rest) = find(words) else { return unknown(words) }
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "-h" || $0 == "--help" }) {
      return answered(command.usage)
    }
    return run(command, rest)
  }

  private static func run(_ command: Command, _ words: ArraySlice<String>) -> Int32 {
    do throws(CommandFailure) {
      try carryOut(command, Arguments(words, for: command))
      return 0
    } catch {
      if error.code == 2, let message = error.message {
        return misunderstood(message, command.name)
      }
      if let message = error.message {
        Output.complain(
          error.isLocated ? "\(message)\n" : "kist \(command.name): \(Printable.line(message))\n")
      }
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
    guard
      let (command, name) = named.filter({ words.starts(with: $0.1) }).max(by: {
        $0.1.count < $1.1.count
      })
    else { return nil }
    return (command, words.dropFirst(name.count))
  }

  private static func unknown(_ words: [String]) -> Int32 {
    guard let noun = Help.noun(words[0]) else {
      return unknown(words[0], among: CommandTable.rows.map { $0.name.prefix { $0 != " " } })
    }
    guard words.count > 1 else { return incomplete(noun) }
    if words[1] == "-h" || words[1] == "--help" { return answered(noun) }
    let verbs = CommandTable.rows.map(\.name).filter { $0.hasPrefix(words[0] + " ") }.map {
      $0.dropFirst(words[0].count + 1)
    }
    return unknown(words[1], of: words[0], among: verbs)
  }

  private static func unknown(_ word: String, of noun: String? = nil, among names: [Substring])
    -> Int32
  {
    let before = noun.map { $0 + " " } ?? ""
    let hint =
      word.nearest(among: names.map { String($0) }).map { "; did you mean 'kist \(before)\($0)'?" }
      ?? ""
    return misunderstood("unknown command '\(before)\(word)'\(hint)", noun)
  }

  private static func answered(_ text: String) -> Int32 {
    Terminal.page()
    Output.write(text)
    return 0
  }

  /// For somebody who has not said what to do, but nothing wrong.
  private static func incomplete(_ usage: String) -> Int32 {
    Output.complain(usage)
    return 2
  }

  /// - Parameter command: the words whose help says what can be said instead; nil for the overview.
  private static func misunderstood(_ message: String, _ command: String?) -> Int32 {
    let help = command.map { "kist \($0) --help" } ?? "kist --help"
    Output.complain("kist: \(Printable.line(message))\nTry '\(help)'.\n")
    return 2
  }
}

/// The overviews, made from the table; each command's own help is formatted by hand in the
/// command's file.
enum Help {
  static var overview: String {
    let groups = CommandTable.groups.map { "\($0.heading):\n\n\(list($0.rows))" }
    return """
      Usage: kist NOUN VERB [OPTIONS]

      The operator's command for the kist key daemon.

      \(groups.joined(separator: "\n"))
      kist help NOUN VERB describes one command, as kist NOUN VERB --help does. Exit
      codes: 0 done, 1 refused or failed, 2 not understood.

      """
  }

  /// The commands of one noun, or nil if there are none.
  static func noun(_ noun: String) -> String? {
    let rows = CommandTable.rows.filter { $0.name.hasPrefix(noun + " ") }
    return rows.isEmpty ? nil : "Usage: kist \(noun) VERB [OPTIONS]\n\n\(list(rows))"
  }

  private static func list(_ rows: [Command]) -> String {
    Table(rows.map { ["  kist " + $0.name, $0.summary] }).text
  }
}
