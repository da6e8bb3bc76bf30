package import Audit
import Crypto
import Format

/// A record as one line for people: `kist audit tail` and `show`.
package enum HumanLine {
  /// Time, sequence, operation and result, then everything else that the record says.
  package static func text(_ record: Record) -> String {
    let columns = [
      record.time.description, pad("#\(record.sequence)", 8),
      pad(Printable.field(record.operation), 20), pad(outcome(record), 24),
    ]
    return trimmed((columns + details(record)).joined(separator: "  "))
  }

  private static func outcome(_ record: Record) -> String {
    guard let result = record.result else { return "-" }
    guard let reason = record.stage ?? record.policy?.denial else { return Printable.field(result) }
    return Printable.field(result) + " (" + Printable.field(reason) + ")"
  }

  private static func details(_ record: Record) -> [String] {
    var parts: [String] = []
    if let label = record.label {
      parts.append("key=" + Printable.field(label))
    } else if let key = record.key {
      parts.append("key=" + Hex.encode(key.bytes))
    }
    if let actor = record.actor { parts.append(who(actor)) }
    if let grant = record.policy?.grant { parts.append("grant=" + Printable.field(grant)) }
    if let group = record.policy?.group {
      parts.append("group=" + (record.policy?.groupName.map(Printable.field) ?? String(group)))
    }
    if !record.released.isEmpty {
      parts.append("released=" + Printable.field(record.released.joined(separator: ",")))
    }
    if let request = record.request { parts.append("req=" + Hex.encode(request.bigEndianBytes)) }
    if let transaction = record.inputs.transaction {
      parts.append("transaction=" + transaction.value.hex.prefix(16))
    }
    if let scheme = record.inputs.scheme { parts.append("scheme=\(scheme.rawValue)") }
    if let share = record.inputs.share { parts.append("share=" + Hex.encode(share)) }
    if let backup = record.inputs.backup {
      parts += [
        "generation=\(backup.generation)", "keys=\(backup.keys)", "digest=" + backup.digest.hex,
      ]
    }
    if let drill = record.inputs.drill {
      parts.append(drill.isPassed ? "drill=passed" : "drill=failed")
    }
    if let review = record.inputs.review {
      parts += [
        "reviewed=\(review.head.size)", "outcome=" + review.outcome.name,
        "note=" + Printable.field(review.note.text),
      ]
    }
    if let approval = record.inputs.approval {
      parts.append("approval=" + Printable.field(approval.request))
      if let uid = approval.by { parts.append("approved-by=\(uid)") }
    }
    return parts + record.event.map { Printable.field($0.name) + "=" + value($0.value) }
  }

  private static func who(_ actor: Record.Actor) -> String {
    var text = actor.name.map { "user=" + Printable.field($0) + " " } ?? ""
    text += "uid=\(actor.uid)\(actor.owner.map { " owner=\($0)" } ?? "") pid=\(actor.pid)"
    if let unit = actor.unit { text += " unit=" + Printable.field(unit) }
    if let executable = actor.executable { text += " exe=" + Printable.field(executable) }
    return text
  }

  private static func value(_ value: CanonicalJSON) -> String {
    switch value {
    case .string(let text): Printable.field(text)
    case .integer(let number): String(number)
    case .bool(let flag): String(flag)
    case .array(let elements): "[" + elements.map { Self.value($0) }.joined(separator: ",") + "]"
    case .object(let members): "{\(members.count)}"
    }
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func trimmed(_ line: String) -> String {
    var line = line
    while line.last == " " { line.removeLast() }
    return line
  }
}

/// A record as a row of comma-separated values (RFC 4180), for spreadsheets.
package enum RecordCSV {
  package static let heading = row(columns.map(\.name))

  /// The row with its line end.
  package static func row(_ record: Record) -> String { row(columns.map { $0.value(record) }) }

  private static let columns: [(name: String, value: @Sendable (Record) -> String)] = [
    ("sequence", { String($0.sequence) }),
    ("time", { $0.time.description }),
    ("operation", { $0.operation }),
    ("result", { $0.result ?? "" }),
    ("stage", { $0.stage ?? $0.policy?.denial ?? "" }),
    ("uid", { $0.actor.map { String($0.uid) } ?? "" }),
    ("user", { $0.actor?.name ?? "" }),
    ("pid", { $0.actor.map { String($0.pid) } ?? "" }),
    ("unit", { $0.actor?.unit ?? "" }),
    ("executable", { $0.actor?.executable ?? "" }),
    ("key", { $0.key.map { Hex.encode($0.bytes) } ?? "" }),
    ("label", { $0.label ?? "" }),
    ("grant", { $0.policy?.grant ?? "" }),
    ("group", { $0.policy.flatMap { $0.groupName ?? $0.group.map { String($0) } } ?? "" }),
    ("released", { $0.released.joined(separator: " ") }),
    ("currency", { $0.inputs.currency.map { String($0) } ?? "" }),
    ("amount", { $0.inputs.amount.map { String($0) } ?? "" }),
    ("transaction", { $0.inputs.transaction?.text ?? "" }),
    ("pan", { $0.inputs.pan?.text ?? "" }),
  ]

  private static func row(_ cells: [String]) -> String {
    cells.map(cell).joined(separator: ",") + "\r\n"
  }

  private static func cell(_ text: String) -> String {
    // A spreadsheet takes a cell that begins with one of these for a formula, and others may choose
    // the names of units and paths.
    let isFormula = text.utf8.first.map { Array("=+-@\t\r".utf8).contains($0) } ?? false
    let text = Printable.line(isFormula ? "'" + text : text)
    guard text.utf8.contains(where: { Array(",\"\r\n".utf8).contains($0) }) else { return text }
    return "\""
      + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}

extension Drill {
  /// Whether all of the daemon's keys can be recovered from the backup.
  package var isPassed: Bool { matched > 0 && missing == 0 && different == 0 && surplus == 0 }
}
