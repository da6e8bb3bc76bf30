extension ReviewSection {
  /// Heading, note, chart and table.
  ///
  /// - Parameter evidence: receives the records behind the figures; each figure links to `#records-N`, with N counted from 1.
  func write(into page: inout HTMLText, evidence: inout [Evidence]) {
    page.element("h2", [("id", id)], title)
    if !note.isEmpty { page.element("p", [("class", "note")], note) }
    guard let first = rows.first else { return page.element("p", [("class", "empty")], empty) }
    if !bars.isEmpty { BarChart(id: id, title: title, bars: bars).write(into: &page) }
    page.markup("<table>")
    page.element("caption", title)
    page.markup("<thead><tr>")
    for (column, heading) in headings.enumerated() {
      page.element("th", [("scope", "col"), ("class", first[column].isNumber ? "number" : "text")], heading)
    }
    if showsShares { page.element("th", [("scope", "col"), ("class", "share")], "Share") }
    page.markup("</tr></thead><tbody>")
    let most = showsShares ? rows.compactMap { $0.last?.evidence?.figure.count }.max() : nil
    for row in rows { Self.write(row, most: most, into: &page, &evidence) }
    page.markup("</tbody></table>")
  }

  /// - Parameter most: the largest count of the table, if each row has a bar.
  private static func write(_ row: [Cell], most: Int?, into page: inout HTMLText, _ evidence: inout [Evidence]) {
    page.markup("<tr>")
    for (column, cell) in row.enumerated() {
      if column == 0 {
        page.element("th", [("scope", "row")], cell.text)
        continue
      }
      guard let found = cell.evidence else {
        page.element("td", [("class", cell.isNumber ? "number" : "text")], cell.text)
        continue
      }
      evidence.append(found)
      page.element("td", [("class", "number")]) { [id = evidence.count] in $0.element("a", [("href", "#records-\(id)")], cell.text) }
    }
    if let most, let count = row.last?.evidence?.figure.count {
      page.element("td", [("class", "share")]) { page in
        page.element("svg", [("viewBox", "0 0 100 8"), ("preserveAspectRatio", "none"), ("aria-hidden", "true")]) { page in
          page.element("rect", [("width", String(max(1, count * 100 / most))), ("height", "8"), ("class", "bar")], "")
        }
      }
    }
    page.markup("</tr>")
  }
}
