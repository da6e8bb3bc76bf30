import Format

/// Lines in aligned columns, two spaces apart; no colour, no trailing spaces, and no cell can break
/// the layout.
struct Table {
  private var rows: [[String]] = []

  /// Nil is no line.
  init(_ lines: [String]?...) { add(lines) }
  init(_ lines: [[String]?]) { add(lines) }

  mutating func add(_ lines: [String]?...) { add(lines) }

  mutating func add(_ lines: [[String]?]) {
    rows += lines.compactMap { $0?.map(Printable.line) }
  }

  var text: String { rows.reduce(into: "") { $0 += line($1) + "\n" } }

  private func line(_ cells: [String]) -> String {
    var line = ""
    for (column, cell) in cells.enumerated() {
      line += cell
      guard cells[(column + 1)...].contains(where: { !$0.isEmpty }) else { break }
      line += String(repeating: " ", count: width(column) - cell.count + 2)
    }
    return line
  }

  private func width(_ column: Int) -> Int {
    rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
  }
}
