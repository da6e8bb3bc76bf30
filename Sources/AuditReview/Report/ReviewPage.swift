internal import Encoding

/// The report as one HTML page that needs nothing else: no script, no font, no picture from elsewhere.
package struct ReviewPage {
  private let review: Review
  private let finding: ReviewFinding
  private let sections: [ReviewSection]
  private let directory: String
  private var page = HTMLText()
  private var evidence: [ReviewSection.Evidence] = []

  package static func html(_ review: Review, _ finding: ReviewFinding, keys: [KeyStanding]?, directory: String) -> String {
    var page = ReviewPage(review: review, finding: finding, sections: review.sections(keys: keys), directory: directory)
    page.write()
    return page.page.html
  }

  private init(review: Review, finding: ReviewFinding, sections: [ReviewSection], directory: String) {
    (self.review, self.finding, self.sections, self.directory) = (review, finding, sections, directory)
  }

  private mutating func write() {
    page.markup(
      """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
      <title>Audit review</title><style>
      """)
    page.markup(Self.style)
    page.markup("</style></head><body><main>")
    writeHead()
    for section in sections { write(section) }
    writeEvidence()
    page.markup("</main></body></html>\n")
  }

  private mutating func writeHead() {
    page.element("h1", "Audit review")
    page.element("p", [("class", "lead")], "\(review.periodText) \(directory)")
    page.element("p", [("class", "finding " + finding.style), ("role", "status")], finding.text)
    page.element("p", "\(review.records.count) records\(review.span), \(review.requestCount) of them requests.")
    page.element("nav", [("aria-label", "Sections")]) { page in
      page.markup("<ol>")
      for section in sections {
        page.markup("<li>")
        page.element("a", [("href", "#" + section.id)], section.title)
        page.element("span", [("class", "count")], section.rows.isEmpty ? "none" : String(section.rows.count))
        page.markup("</li>")
      }
      page.markup("</ol>")
    }
  }

  private mutating func write(_ section: ReviewSection) {
    page.element("h2", [("id", section.id)], section.title)
    if !section.note.isEmpty { page.element("p", [("class", "note")], section.note) }
    guard !section.rows.isEmpty else { return page.element("p", [("class", "empty")], section.empty) }
    if !section.bars.isEmpty { BarChart(id: section.id, title: section.title, bars: section.bars).write(into: &page) }
    page.markup("<table>")
    page.element("caption", section.title)
    page.markup("<thead><tr>")
    for (column, heading) in section.headings.enumerated() {
      let isNumber = section.rows[0][column].isNumber
      page.element("th", [("scope", "col"), ("class", isNumber ? "number" : "text")], heading)
    }
    if section.showsShares { page.element("th", [("scope", "col"), ("class", "share")], "Share") }
    page.markup("</tr></thead><tbody>")
    let most = section.showsShares ? section.rows.compactMap { $0.last?.evidence?.figure.count }.max() : nil
    for row in section.rows { write(row, most: most) }
    page.markup("</tbody></table>")
  }

  /// - Parameter most: the largest count of the table, where each row has a bar.
  private mutating func write(_ row: [ReviewSection.Cell], most: Int?) {
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

  private mutating func writeEvidence() {
    page.element("h2", [("id", "records")], "Records")
    page.element(
      "p", [("class", "note")], "The first records behind each figure, and the command that prints them all, with others where no filter tells them apart.")
    for (place, found) in evidence.enumerated() {
      let command = command(found)
      page.element("section", [("id", "records-\(place + 1)")]) { page in
        page.element("h3", "\(found.title): \(found.figure.count)")
        page.element("pre", [("class", "command")], command)
        page.element("ul", [("class", "lines")]) { page in
          for line in found.figure.lines { page.element("li", line.text) }
        }
        let rest = found.figure.count - found.figure.lines.count
        if rest > 0 { page.element("p", [("class", "note")], "and \(rest) more, the last of them record \(found.figure.last)") }
      }
    }
  }

  private func command(_ evidence: ReviewSection.Evidence) -> String {
    let period = evidence.words.contains("--since") ? [] : review.periodWords
    return (["kist", "audit", "show", directory] + period + evidence.words).map(Self.quoted).joined(separator: " ")
  }

  /// As a shell takes it for one word.
  private static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: Array("-_./:@".utf8).contains(byte)
        }
      }
    return isPlain ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}

extension Review {
  package var periodText: String { "From \(since.wholeSeconds) to \(until?.wholeSeconds ?? "the log's end")." }
  fileprivate var span: String { records.count == 0 ? "" : ", sequences \(records.first) to \(records.last)" }
}
