package import Format

/// The report as one self-contained HTML page: no script, and no font or picture from elsewhere.
package struct ReviewPage {
  private let review: Review
  private let finding: ReviewFinding
  private let sections: [ReviewSection]
  private let imprint: Imprint
  private var evidence: [ReviewSection.Evidence] = []

  package static func html(
    _ review: Review, _ finding: ReviewFinding, keys: [ListedKey]?, _ imprint: Imprint
  ) -> String {
    var content = ReviewPage(
      review: review, finding: finding, sections: review.sections(keys: keys), imprint: imprint)
    return HTMLText.page("Audit review") { page in content.write(into: &page) }
  }

  private mutating func write(into page: inout HTMLText) {
    page.element("p", [("class", "lead")], "\(review.periodText) \(imprint.log)")
    page.element("p", [("class", "finding " + finding.verdict), ("role", "status")], finding.text)
    let attention = sections.first?.rows.count ?? 0
    page.element(
      "p", attention == 0 ? [] : [("class", "finding unverified")],
      ReviewSection.attention(attention))
    page.element(
      "p", "\(review.records.count) records\(review.span), \(review.requestCount) of them requests."
    )
    page.element("p", [("class", "note")], imprint.text)
    page.contents(sections)
    for section in sections { section.write(into: &page, evidence: &evidence) }
    writeEvidence(into: &page)
  }

  private func writeEvidence(into page: inout HTMLText) {
    page.element("h2", [("id", "records")], "Records")
    page.element(
      "p", [("class", "note")],
      "The first records behind each figure, and the command that prints them all; its output may include other records."
    )
    for (place, found) in evidence.enumerated() {
      let command = command(found)
      page.element("section", [("id", "records-\(place + 1)")]) { page in
        page.element("h3", "\(found.title): \(found.figure.count)")
        page.element("pre", [("class", "command")], command)
        page.element("ul", [("class", "lines")]) { page in
          for line in found.figure.lines { page.element("li", line.text) }
        }
        let rest = found.figure.count - found.figure.lines.count
        if rest > 0 {
          page.element(
            "p", [("class", "note")],
            "and \(rest) more, the last of them record \(found.figure.last)")
        }
      }
    }
  }

  private func command(_ evidence: ReviewSection.Evidence) -> String {
    let period = evidence.words.contains("--since") ? [] : review.periodWords
    return (["kist", "audit", "show", imprint.log] + period + evidence.words).map(Self.quoted)
      .joined(separator: " ")
  }

  /// Quoted so that a shell reads it as one word.
  private static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: Array("-_./:@".utf8).contains(byte)
        }
      }
    return isPlain
      ? word
      : "'"
        + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        + "'"
  }
}

extension Review {
  package var periodText: String {
    "From \(since.wholeSeconds) to \(until?.wholeSeconds ?? "the log's end")."
  }
  fileprivate var span: String {
    records.count == 0 ? "" : ", sequences \(records.first) to \(records.last)"
  }
}

/// What the verifier found, with which the report begins.
package enum ReviewFinding: Hashable, Sendable {
  case good(String)
  /// All records that are there are good; only a checkpoint from elsewhere could show whether
  /// records were cut off the end.
  case endUnknown(String)
  case bad(String)
  /// No verifier key was given.
  case unverified

  package var text: String {
    switch self {
    case .good(let what): "Verified: \(what)"
    case .endUnknown(let what):
      "Verified, except for its end: \(what) Nobody knows whether records were cut off the end: give a checkpoint that was kept elsewhere (--checkpoint)."
    case .bad(let what): "NOT GOOD: \(what)"
    case .unverified:
      "Not verified: no verifier key was given. The figures are only as good as the log."
    }
  }

  /// For programs.
  var verdict: String {
    switch self {
    case .good: "good"
    case .bad: "bad"
    case .endUnknown: "end-unknown"
    case .unverified: "unverified"
    }
  }
}

/// Of what log a report is, and who made it: when, where and with what.
package struct Imprint: Sendable {
  /// Its directory.
  package let log: String
  /// Has the log's origin and its key; nil if nothing was verified.
  package let verifierKey: String?
  package let made: Timestamp
  package let host: String
  /// Of the program.
  package let version: String

  package init(log: String, verifierKey: String?, made: Timestamp, host: String, version: String) {
    self.log = log
    self.verifierKey = verifierKey
    self.made = made
    self.host = host
    self.version = version
  }

  package var text: String {
    "Made at \(made.wholeSeconds) on \(host) by kist \(version)"
      + (verifierKey.map { ", with the verifier key \($0)." } ?? ".")
  }
}
