package import Crypto

/// The checkpoints that people were shown and wrote down, and what the record has after each.
package struct PaperTrail: Sendable {
  private struct Place {
    let mark: PaperMark
    let sitting: Int
    /// How many entries came before the checkpoint.
    let count: Int
  }

  private var places: [Place] = []
  private var entries: [TranscriptEntry] = []
  /// The last sitting in which a step was begun.
  private var stepSitting: Int?
  /// Who was present in each sitting.
  private var present: [Int: Set<String>] = [:]

  package init() {}

  /// The newest checkpoint.
  package var newest: PaperMark? { places.last?.mark }

  mutating func add(_ entry: TranscriptEntry, _ root: Digest256, sitting: Int) {
    switch entry {
    case .shown: places.append(Place(mark: PaperMark(root), sitting: sitting, count: entries.count))
    case .step:
      stepSitting = sitting
      entries.append(entry)
    case .present(let person):
      present[sitting, default: []].insert(person)
      entries.append(entry)
    case .began, .absent, .stepDone, .answer, .fact, .readBack, .sheet, .entry, .output, .exception,
      .change, .inventory, .complete:
      entries.append(entry)
    }
  }

  /// Who must have the checkpoint on paper: the operator, and the witnesses who were there in the
  /// last sitting that began a step and are there now.
  func holders(_ people: People, _ isPresent: (Person) -> Bool) -> [Person] {
    let before = present[stepSitting ?? places.last?.sitting ?? 0] ?? []
    return [people.reader] + people.witnesses.filter { before.contains($0.name) && isPresent($0) }
  }

  /// The records after the checkpoint that somebody typed from paper; nil if the transcript does
  /// not have that checkpoint.
  ///
  /// A checkpoint from before the last sitting that began a step is not enough, since that
  /// sitting's log could be anybody's.
  func records(after typed: String) -> (mark: String, entries: [TranscriptEntry])? {
    if typed == Self.none { return stepSitting == nil ? (Self.none, entries) : nil }
    guard
      let place = places.last(where: { $0.sitting >= stepSitting ?? 1 && $0.mark.isTyped(typed) })
    else { return nil }
    return (place.mark.digits, Array(entries[place.count...]))
  }

  private static let none = "none"
}

/// A checkpoint of a transcript as people write it on paper: the first half of the root over every
/// record so far.
package struct PaperMark: Hashable, Sendable {
  /// 32 hexadecimal digits.
  package let digits: String
  /// 16 words of the PGP list, in two lines.
  package let words: [String]

  package init(_ root: Digest256) {
    digits = String(root.hex.prefix(32))
    words = [0..<8, 8..<16].map { PGPWords.encode(root.span.extracting($0)) }
  }

  /// Whether somebody typed it, in words or digits.
  package func isTyped(_ text: String) -> Bool {
    let typed = text.lowercased()
    return typed.filter { !$0.isWhitespace } == digits
      || typed.split(whereSeparator: \.isWhitespace)
        == words.joined(separator: " ").lowercased().split(separator: " ")
  }
}

/// When people are shown a checkpoint to write down.
package enum ShownAfter: Hashable, Sendable {
  case rollCall
  case exception
  /// A step that is done.
  case step(Int)
  /// The sitting ends before the ceremony is over.
  case stop

  package var text: String {
    switch self {
    case .rollCall: "the roll call"
    case .exception: "an exception"
    case .step(let number): "step \(number)"
    case .stop: "the stop"
    }
  }

  package init?(_ text: String) {
    let fixed: [ShownAfter] = [.rollCall, .exception, .stop]
    if let after = fixed.first(where: { $0.text == text }) {
      self = after
    } else if text.hasPrefix("step "), let number = Int(text.dropFirst(5)),
      ShownAfter.step(number).text == text
    {
      self = .step(number)
    } else {
      return nil
    }
  }
}
