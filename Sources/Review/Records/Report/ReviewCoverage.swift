package import Audit
import Crypto
package import Format

/// Who signed off which part of a log, and which part nobody signed off, or only a user who made
/// requests in it.
///
/// A sign-off covers every record up to its checkpoint. It is independent if its reviewer made none
/// of those requests, other than to read and review.
package struct ReviewCoverage: Sendable {
  /// One sign-off.
  package struct Entry: Sendable {
    let sequence: UInt64
    let time: Timestamp
    let reviewer: CallerName
    let signOff: SignOff
    let isIndependent: Bool
  }

  /// Records that no independent reviewer has signed off.
  package struct Open: Hashable, Sendable {
    package let first, last: UInt64
    /// Whether a user who made requests in them has.
    package let isSelfReviewed: Bool
  }

  private var entries: [Entry] = []
  /// Each user's first request other than reading and reviewing.
  private var firstActs: [Int64: UInt64] = [:]
  private var (beginning, end): (UInt64?, UInt64) = (nil, 0)
  /// How many records are signed off, by independent reviewers and by any reviewer.
  private var (reviewed, signed): (UInt64, UInt64) = (0, 0)

  package init() {}

  /// Takes the log's next record.
  package mutating func add(_ record: Record) {
    beginning = beginning ?? record.sequence
    end = record.sequence + 1
    guard let actor = record.actor else { return }
    if let signOff = record.inputs.review, record.status == .ok {
      return add(signOff, record, actor)
    }
    if firstActs[actor.person] == nil, !record.isReading {
      firstActs[actor.person] = record.sequence
    }
  }

  private mutating func add(_ signOff: SignOff, _ record: Record, _ actor: Record.Actor) {
    let isIndependent = firstActs[actor.person].map { $0 >= signOff.head.size } ?? true
    signed = max(signed, signOff.head.size)
    if isIndependent { reviewed = max(reviewed, signOff.head.size) }
    entries.append(
      Entry(
        sequence: record.sequence, time: record.time, reviewer: CallerName(actor), signOff: signOff,
        isIndependent: isIndependent))
  }

  /// What is left to review, ascending.
  package var open: [Open] {
    let start = max(reviewed, beginning ?? 0)
    let middle = max(start, signed)
    return [
      start < middle ? Open(first: start, last: middle - 1, isSelfReviewed: true) : nil,
      middle < end ? Open(first: middle, last: end - 1, isSelfReviewed: false) : nil,
    ].compactMap { $0 }
  }

  /// What is left to review, and the latest sign-offs.
  package var section: ReviewSection {
    let left = open.map { open in
      [
        .text(open.text), .text(open.isSelfReviewed ? "only by users of the log" : "not reviewed"),
        .text(""), .text(""), .text(""),
      ] as [ReviewSection.Cell]
    }
    let done = entries.suffix(Self.shown).reversed().map(\.row)
    return ReviewSection(
      "reviews", "Reviews",
      note:
        "What is left to review, and the latest sign-offs in the whole log. A user of the log is who made requests in it but to read and review.",
      ["Records", "Review", "Reviewer", "When", "Note"], left + done, empty: "No record is there.")
  }

  package var json: CanonicalJSON {
    [
      "reviews": entries.map(\.json), "unreviewed": open.map(\.json),
    ]
  }

  private static let shown = 10
}

extension ReviewCoverage.Open {
  fileprivate var text: String { first == last ? "\(first)" : "\(first) to \(last)" }

  fileprivate var json: CanonicalJSON {
    [
      "first": first, "last": last, "self_reviewed": isSelfReviewed,
    ]
  }
}

extension ReviewCoverage.Entry {
  fileprivate var row: [ReviewSection.Cell] {
    [
      .text("up to \(signOff.head.size - 1)"),
      .text(signOff.outcome.name + (isIndependent ? "" : ", by a user of the log")),
      .text(reviewer.text),
      .text(time.wholeSeconds), .text(signOff.note.text),
    ]
  }

  fileprivate var json: CanonicalJSON {
    [
      "independent": isIndependent, "note": signOff.note.text, "outcome": signOff.outcome.name,
      "reviewer": reviewer.text, "root": signOff.head.root.hex, "sequence": sequence,
      "size": signOff.head.size, "time": time.wholeSeconds,
    ]
  }
}

extension Record {
  /// Whether the request only reads, which leaves its user an independent reviewer.
  fileprivate var isReading: Bool { opcode.map(Self.readingOperations.contains) ?? false }

  private static let readingOperations: Set<Opcode> = [
    .describe, .who, .listKeys, .describeKey, .auditDigest, .reviewLog, .listRequests,
  ]
}
