package import Audit
internal import Format

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

  private static func row(_ cells: [String]) -> String { cells.map(cell).joined(separator: ",") + "\r\n" }

  private static func cell(_ text: String) -> String {
    // A spreadsheet takes a cell that begins with one of these for a formula, and others may choose the names of units and paths.
    let isFormula = text.utf8.first.map { Array("=+-@\t\r".utf8).contains($0) } ?? false
    let text = Printable.line(isFormula ? "'" + text : text)
    guard text.utf8.contains(where: { Array(",\"\r\n".utf8).contains($0) }) else { return text }
    return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
