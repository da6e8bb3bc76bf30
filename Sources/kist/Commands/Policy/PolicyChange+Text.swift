internal import Format
internal import Policy
internal import Review

extension PolicyChange {
  /// What changes, from now on.
  static func all(from old: Policy, to new: Policy) throws(CommandFailure) -> [PolicyChange] {
    do throws(TooMany) { return try all(from: old, to: new, around: .now) } catch {
      throw .failed("the policies have more than \(maximumQuestions) combinations of callers, operations and keys to compare")
    }
  }

  /// Each change once, under a heading that names every caller it affects.
  static func text(_ changes: [PolicyChange]) -> String {
    let lines = changes.grouped { Line(verb: $0.verb, text: "\($0.what): \($0.details.joined(separator: "; "))") }
    let paragraphs = lines.grouped { line in
      // One caller `gains`, several `gain`.
      line.elements.map(\.who.description).joined(separator: ", ") + " " + (line.elements.count == 1 ? line.key.verb : String(line.key.verb.dropLast()))
    }
    return paragraphs.map { heading, lines in heading + "\n" + lines.map { "  \($0.key.text)\n" }.joined() }.joined()
  }

  private struct Line: Hashable {
    let verb, text: String
  }

  var json: CanonicalJSON {
    [
      "details": .array(details.map { .string($0) }), "effect": .string(verb), "operation": .string(opcode.name),
      "who": .string(who.description),
      "key": key.map { .string($0.description) },
    ]
  }
}
