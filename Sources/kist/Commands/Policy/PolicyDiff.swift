import Configuration
import Format
import Policy
import Review

extension Command {
  static let policyDiff = Command(
    name: "policy diff",
    summary: "say who gains and loses what from one policy to another",
    usage: """
      Usage: kist policy diff OLD NEW [--json]

      Compares what the policy files in two directories allow, not how they are
      written: who gains and loses which operation with which key, and who keeps it
      on other terms. Grants that were only renamed or moved do not show. A prefix
      stands for the keys below it that no other line of the same caller names.

        --json  answer in JSON

        --users FILE, --groups FILE, --no-accounts
                as for kist policy check

      Exit codes: 0 both allow the same, 1 they do not.

      """,
    options: [.json] + Accounts.options,
    operands: 2...2
  ) { arguments throws(CommandFailure) in
    let accounts = try Accounts(arguments)
    let old = try PolicyDirectory.read(arguments.operands[0], accounts: accounts)
    let new = try PolicyDirectory.read(arguments.operands[1], accounts: accounts)
    let changes = try PolicyChange.all(from: old, to: new)
    arguments.answer(
      ["changes": changes.map(\.json), "same": changes.isEmpty],
      changes.isEmpty ? "both allow the same\n" : PolicyChange.text(changes))
    guard changes.isEmpty else { throw CommandFailure(code: 1) }
  }
}

extension PolicyChange {
  /// What changes, from now on.
  static func all(from old: Policy, to new: Policy) throws(CommandFailure) -> [PolicyChange] {
    do throws(TooMany) { return try all(from: old, to: new, around: .now) } catch {
      throw .failed(
        "the policies have more than \(maximumQuestions) combinations of callers, operations and keys to compare"
      )
    }
  }

  /// Each change once, under a heading that names every caller it affects.
  static func text(_ changes: [PolicyChange]) -> String {
    let lines = changes.grouped {
      Line(verb: $0.verb, text: "\($0.what): \($0.details.joined(separator: "; "))")
    }
    let paragraphs = lines.grouped { line in
      // One caller `gains`, several `gain`.
      line.elements.map(\.who.description).joined(separator: ", ") + " "
        + (line.elements.count == 1 ? line.key.verb : String(line.key.verb.dropLast()))
    }
    return paragraphs.map { heading, lines in
      heading + "\n" + lines.map { "  \($0.key.text)\n" }.joined()
    }.joined()
  }

  private struct Line: Hashable {
    let verb, text: String
  }

  var json: CanonicalJSON {
    [
      "details": details, "effect": verb, "operation": opcode.name, "who": who.description,
      "key": key?.description,
    ]
  }
}

extension Sequence {
  /// The elements grouped by key, in the order of each key's first element.
  func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(key: Key, elements: [Element])] {
    var groups: [(key: Key, elements: [Element])] = []
    var places: [Key: Int] = [:]
    for element in self {
      let key = key(element)
      if let place = places[key] {
        groups[place].elements.append(element)
      } else {
        places[key] = groups.count
        groups.append((key, [element]))
      }
    }
    return groups
  }
}
