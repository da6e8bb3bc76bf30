import Configuration
import Format

/// The arguments of one command, checked against the options it declares.
struct Arguments: Sendable {
  /// The words that are no options, in order.
  let operands: [String]
  /// How the command speaks to a daemon; nil if it does not.
  let daemon: DaemonUse?
  private let declared: [Option]
  private var values: [String: [String]] = [:]

  /// Accepts `--name VALUE`, `--name=VALUE` and `--flag`, or their letters, in any order; after
  /// `--` every word is an operand.
  init(_ words: some Sequence<String>, for command: Command) throws(CommandFailure) {
    declared = command.allOptions
    daemon = command.daemon
    var operands: [String] = []
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      }
      // `-` alone is an operand: standard input.
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      let (option, inline) = try Self.option(word, among: declared)
      let value = try Self.value(option, inline, &rest)
      guard option.kind == .values || values[option.name] == nil else {
        throw .usage("--\(option.name) is given twice")
      }
      values[option.name, default: []].append(value)
    }
    guard operands.count >= command.operands.lowerBound else {
      throw .usage(
        "\(command.operandNames.dropFirst(operands.count).first ?? "an argument") is missing")
    }
    guard operands.count <= command.operands.upperBound else {
      throw .usage("unexpected argument '\(operands[command.operands.upperBound])'")
    }
    self.operands = operands
  }

  func has(_ flag: String) -> Bool { !all(flag).isEmpty }

  /// Whether the command declares this flag, and it was given.
  func hasAny(_ flag: Option) -> Bool { declared.contains(flag) && has(flag.name) }

  func value(_ name: String) -> String? { all(name).first }

  /// An option's value as something else than text.
  ///
  /// - Parameter what: what the option takes, for people.
  func value<T>(_ name: String, _ what: String, _ parse: (String) -> T?) throws(CommandFailure)
    -> T?
  {
    guard let text = value(name) else { return nil }
    guard let found = parse(text) else { throw .usage("--\(name) takes \(what), not '\(text)'") }
    return found
  }

  /// An option's value as one of the cases with that name.
  func choice<T: CaseIterable & RawRepresentable<String>>(_ name: String) throws(CommandFailure)
    -> T?
  {
    try value(
      name, "one of \(T.allCases.map(\.rawValue).joined(separator: ", "))", T.init(rawValue:))
  }

  func required(_ name: String) throws(CommandFailure) -> String {
    guard let value = value(name) else { throw .usage("--\(name) is missing") }
    return value
  }

  func number<N: FixedWidthInteger>(_ name: String, in range: ClosedRange<N>) throws(CommandFailure)
    -> N?
  { try numbers(name, in: range).first }

  /// Every value of an option, in order.
  func numbers<N: FixedWidthInteger>(_ name: String, in range: ClosedRange<N>)
    throws(CommandFailure) -> [N]
  {
    var numbers: [N] = []
    for text in all(name) {
      guard let number = N(text), range.contains(number) else {
        throw .usage(
          "--\(name) takes a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
      }
      numbers.append(number)
    }
    return numbers
  }

  /// Every value of an option, in order; options that are not declared are refused.
  func all(_ name: String) -> [String] {
    // A mistake of ours, which `DeclaredOptionsTests` finds in the source, and which must not end
    // the program for a user.
    assert(declared.contains { $0.name == name }, "--\(name) is not declared")
    return values[name] ?? []
  }

  private static func option(_ word: String, among options: [Option]) throws(CommandFailure) -> (
    Option, inline: String?
  ) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let option = options.first(where: { $0.goes(by: parts[0]) }) else {
      let hint =
        String(parts[0]).nearest(among: options.map { "--" + $0.name }).map {
          "; did you mean '\($0)'?"
        } ?? ""
      throw .usage("unknown option '\(parts[0])'\(hint)")
    }
    return (option, parts.count == 2 ? String(parts[1]) : nil)
  }

  private static func value(_ option: Option, _ inline: String?, _ rest: inout ArraySlice<String>)
    throws(CommandFailure) -> String
  {
    switch option.kind {
    case .flag:
      guard inline == nil else { throw .usage("--\(option.name) takes no value") }
      return ""
    case .value, .values:
      guard let value = inline ?? rest.popFirst() else {
        throw .usage("--\(option.name) needs a value")
      }
      return value
    }
  }
}

extension Command {
  /// What its usage calls its operands; empty if options stand before them.
  fileprivate var operandNames: [Substring] {
    let words = (usage.lines().first ?? "").split(separator: " ").dropFirst(
      2 + name.split(separator: " ").count)
    return Array(words.prefix { !$0.hasPrefix("-") && !$0.hasPrefix("[") && !$0.hasPrefix("(") })
  }
}
