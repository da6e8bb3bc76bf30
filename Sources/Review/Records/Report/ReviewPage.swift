internal import Format

/// The report as one self-contained HTML page: no script, and no font or picture from elsewhere.
package struct ReviewPage {
  private let review: Review
  private let finding: ReviewFinding
  private let sections: [ReviewSection]
  private let imprint: Imprint
  private var evidence: [ReviewSection.Evidence] = []

  package static func html(_ review: Review, _ finding: ReviewFinding, keys: [KeyStanding]?, _ imprint: Imprint) -> String {
    var content = ReviewPage(review: review, finding: finding, sections: review.sections(keys: keys), imprint: imprint)
    return HTMLText.page("Audit review") { page in content.write(into: &page) }
  }

  private mutating func write(into page: inout HTMLText) {
    page.element("p", [("class", "lead")], "\(review.periodText) \(imprint.log)")
    page.element("p", [("class", "finding " + finding.verdict), ("role", "status")], finding.text)
    let attention = sections.first?.rows.count ?? 0
    page.element("p", attention == 0 ? [] : [("class", "finding unverified")], ReviewSection.attention(attention))
    page.element("p", "\(review.records.count) records\(review.span), \(review.requestCount) of them requests.")
    page.element("p", [("class", "note")], imprint.text)
    page.contents(sections)
    for section in sections { section.write(into: &page, evidence: &evidence) }
    writeEvidence(into: &page)
  }

  private func writeEvidence(into page: inout HTMLText) {
    page.element("h2", [("id", "records")], "Records")
    page.element(
      "p", [("class", "note")], "The first records behind each figure, and the command that prints them all; its output may include other records.")
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
    return (["kist", "audit", "show", imprint.log] + period + evidence.words).map(Self.quoted).joined(separator: " ")
  }

  /// Quoted so that a shell reads it as one word.
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
