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
    static func number(_ number: Int) -> Cell { Cell(text: String(number), evidence: nil, isNumber: true) }
    /// A figure that leads to its records.
    static func figure(_ figure: Figure, _ title: String, _ words: [String]) -> Cell {
      Cell(text: String(figure.count), evidence: figure.count == 0 ? nil : Evidence(title: title, words: words, figure: figure), isNumber: true)
    }
  }

  /// Where the records behind a figure are.
  package struct Evidence: Sendable {
    let title: String
    /// What `kist audit show` is asked for all of them.
    let words: [String]
    package let figure: Figure
  }

  init(_ id: String, _ title: String, note: String = "", _ headings: [String], _ rows: [[Cell]], empty: String) {
    (self.id, self.title, self.note, self.headings, self.rows, self.empty) = (id, title, note, headings, rows, empty)
  }
}
