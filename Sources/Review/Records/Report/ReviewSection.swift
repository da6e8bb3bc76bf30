/// One table of the report, the same on a page, a terminal and in JSON.
package struct ReviewSection: Sendable {
  package let id: String
  package let title: String
  /// What the figures mean, if the title does not say it.
  package let note: String
  let headings: [String]
  package internal(set) var rows: [[Cell]]
  /// The text if there are no rows.
  package let empty: String
  var bars: [BarChart.Bar] = []
  /// Whether each row's last figure has a bar beside it.
  var showsShares = false

  package struct Cell: Sendable {
    package let text: String
    package let evidence: Evidence?
    let isNumber: Bool

    static func text(_ text: String) -> Cell { Cell(text: text, evidence: nil, isNumber: false) }
    static func number(_ number: Int) -> Cell {
      Cell(text: String(number), evidence: nil, isNumber: true)
    }
    /// A figure that leads to its records.
    static func figure(_ figure: Figure, _ title: String, _ words: [String]) -> Cell {
      Cell(
        text: String(figure.count),
        evidence: figure.count == 0 ? nil : Evidence(title: title, words: words, figure: figure),
        isNumber: true)
    }
  }

  /// Where the records behind a figure are.
  package struct Evidence: Sendable {
    let title: String
    /// What `kist audit show` is asked for all of them.
    let words: [String]
    package let figure: Figure
  }

  init(
    _ id: String, _ title: String, note: String = "", _ headings: [String], _ rows: [[Cell]],
    empty: String
  ) {
    self.id = id
    self.title = title
    self.note = note
    self.headings = headings
    self.rows = rows
    self.empty = empty
  }
}

extension ReviewSection {
  /// Heading, note, chart and table.
  ///
  /// - Parameter evidence: receives the records behind the figures; each figure links to
  ///   `#records-N`, with N counted from 1.
  func write(into page: inout HTMLText, evidence: inout [Evidence]) {
    page.element("h2", [("id", id)], title)
    if !note.isEmpty { page.element("p", [("class", "note")], note) }
    guard let first = rows.first else { return page.element("p", [("class", "empty")], empty) }
    if !bars.isEmpty { BarChart(id: id, title: title, bars: bars).write(into: &page) }
    page.markup("<table>")
    page.element("caption", title)
    page.markup("<thead><tr>")
    for (column, heading) in headings.enumerated() {
      page.element(
        "th", [("scope", "col"), ("class", first[column].isNumber ? "number" : "text")], heading)
    }
    if showsShares { page.element("th", [("scope", "col"), ("class", "share")], "Share") }
    page.markup("</tr></thead><tbody>")
    let most = showsShares ? rows.compactMap { $0.last?.evidence?.figure.count }.max() : nil
    for row in rows { Self.write(row, most: most, into: &page, &evidence) }
    page.markup("</tbody></table>")
  }

  /// - Parameter most: the largest count of the table, if each row has a bar.
  private static func write(
    _ row: [Cell], most: Int?, into page: inout HTMLText, _ evidence: inout [Evidence]
  ) {
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
      page.element("td", [("class", "number")]) { [id = evidence.count] in
        $0.element("a", [("href", "#records-\(id)")], cell.text)
      }
    }
    if let most, let count = row.last?.evidence?.figure.count {
      page.element("td", [("class", "share")]) { page in
        page.element(
          "svg",
          [("viewBox", "0 0 100 8"), ("preserveAspectRatio", "none"), ("aria-hidden", "true")]
        ) { page in
          page.element(
            "rect",
            [("width", String(max(1, count * 100 / most))), ("height", "8"), ("class", "bar")], "")
        }
      }
    }
    page.markup("</tr>")
  }
}

/// A bar chart of counts, with refusals as a darker part of each bar, as inline SVG that screen
/// readers can read.
struct BarChart {
  let id: String
  let title: String
  let bars: [Bar]

  struct Bar {
    let name: String
    let count: Int
    let refused: Int
  }

  private static let (width, height, floor) = (720, 160, 132)

  func write(into page: inout HTMLText) {
    let top = max(1, bars.map(\.count).max() ?? 1)
    let attributes: [(StaticString, String)] = [
      ("viewBox", "0 0 \(Self.width) \(Self.height)"), ("role", "img"),
      ("aria-labelledby", "\(id)-title \(id)-desc"), ("class", "chart"),
    ]
    page.element("svg", attributes) { page in
      page.element("title", [("id", id + "-title")], title)
      page.element(
        "desc", [("id", id + "-desc")],
        bars.map { "\($0.name): \($0.count), refused \($0.refused)" }.joined(separator: "; "))
      page.element("text", [("x", "0"), ("y", "12"), ("class", "axis")], String(top))
      page.element(
        "path", [("d", "M0 18H\(Self.width)M0 \(Self.floor)H\(Self.width)"), ("class", "rule")], "")
      for (place, bar) in bars.enumerated() { write(bar, place, top, into: &page) }
    }
  }

  private func write(_ bar: Bar, _ place: Int, _ top: Int, into page: inout HTMLText) {
    let slot = min(64, Self.width / max(1, bars.count))
    let x = place * slot
    let width = max(1, slot * 3 / 4)
    for (count, style) in [(bar.count, "bar"), (bar.refused, "refused")] where count > 0 {
      let height = max(1, count * (Self.floor - 18) / top)
      page.element(
        "rect",
        [
          ("x", String(x)), ("y", String(Self.floor - height)), ("width", String(width)),
          ("height", String(height)), ("class", style),
        ], "")
    }
    // Only as many names as there is room for.
    guard place % (1 + 44 / max(1, slot)) == 0 else { return }
    page.element(
      "text", [("x", String(x)), ("y", String(Self.floor + 16)), ("class", "axis")], bar.name)
  }
}
