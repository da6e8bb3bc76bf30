internal import Crypto

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
    case .began, .absent, .stepDone, .answer, .fact, .readBack, .sheet, .entry, .output, .exception, .change, .inventory, .complete: entries.append(entry)
    }
  }

  /// Who must have the checkpoint on paper: the operator, and the witnesses who were there in the last sitting that began a step and are there now.
  func holders(_ people: People, _ isPresent: (Person) -> Bool) -> [Person] {
    let before = present[stepSitting ?? places.last?.sitting ?? 0] ?? []
    return [people.reader] + people.witnesses.filter { before.contains($0.name) && isPresent($0) }
  }

  /// The records after the checkpoint that somebody typed from paper; nil if the transcript does not have that checkpoint.
  ///
  /// A checkpoint from before the last sitting that began a step is not enough, since that sitting's log could be anybody's.
  func records(after typed: String) -> (mark: String, entries: [TranscriptEntry])? {
    if typed == Self.none { return stepSitting == nil ? (Self.none, entries) : nil }
    guard let place = places.last(where: { $0.sitting >= stepSitting ?? 1 && $0.mark.isTyped(typed) }) else { return nil }
    return (place.mark.digits, Array(entries[place.count...]))
  }

  private static let none = "none"
}
