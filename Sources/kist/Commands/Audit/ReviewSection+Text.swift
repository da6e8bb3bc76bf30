internal import Review

extension ReviewSection {
  /// The rows for a terminal, or the text that replaces them if there are none.
  var text: String {
    var table = Table()
    if rows.isEmpty { table.add(["  " + empty]) }
    for row in rows { table.add(["  " + (row.first?.text ?? "")] + row.dropFirst().map(\.text)) }
    return table.text
  }
}
