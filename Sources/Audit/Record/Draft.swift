import Crypto
package import Format
import Host
package import Policy

/// A record's line, complete except for the request's number, sequence, previous hash, time and
/// boot.
///
/// The thread that makes it formats it outside any lock; the other five are filled in when it is
/// appended.
struct Draft: Sendable {
  private let template: [UInt8]
  private let bootPlace, previousPlace, sequencePlace, timePlace: Int
  /// Nil where the record is not about a request.
  private let requestPlace: Int?
  private var request: UInt64

  /// The longest record, in bytes without its newline: the most that the 16-bit length of C2SP
  /// tlog-tiles can express.
  static let byteLimit = 65_535

  init(_ fields: RecordFields) {
    var writer = CanonicalJSONWriter()
    var boot = 0
    var previous = 0
    var sequence = 0
    var time = 0
    var number: Int?
    writer.object { writer in
      fields.writeActor(into: &writer)
      writer.name("boot")
      boot = writer.bytes.count + 1
      writer.string(Draft.blank32)
      fields.writeEventToPolicy(into: &writer)
      writer.name("prev")
      previous = writer.bytes.count + 1
      writer.string(Draft.blank64)
      fields.writeReleased(into: &writer)
      if fields.request != nil {
        writer.name("req")
        number = writer.bytes.count + 1
        writer.hex(0)
      }
      fields.writeResult(into: &writer)
      writer.name("seq")
      sequence = writer.bytes.count
      writer.integer(0)
      fields.writeStage(into: &writer)
      writer.name("ts")
      time = writer.bytes.count + 1
      writer.string(Draft.blankTime)
      writer.member("v", 1)
    }
    template = writer.bytes
    bootPlace = boot
    previousPlace = previous
    sequencePlace = sequence
    timePlace = time
    requestPlace = number
    request = fields.request ?? 0
    // Every string in it is bounded, so this can only fail by our own mistake.
    precondition(byteCount <= Draft.byteLimit)
  }

  /// The most bytes of the finished line.
  var byteCount: Int { template.count + 20 }

  /// The record of another request about which there is nothing else to say.
  func numbered(_ id: UInt64) -> Draft {
    var other = self
    other.request = id
    return other
  }

  /// Appends the finished line without its newline.
  func append(to out: inout [UInt8], sequence: UInt64, previous: Digest256, stamp: Stamp) {
    let start = out.count
    out.append(contentsOf: template[..<sequencePlace])
    out.append(contentsOf: String(sequence).utf8)
    let shift = out.count - start - sequencePlace - 1
    out.append(contentsOf: template[(sequencePlace + 1)...])
    var line = out.mutableSpan
    line.copy(stamp.boot.span, at: start + bootPlace)
    Hex.write(previous.span, into: &line, at: start + previousPlace)
    if let requestPlace { Hex.write(request, into: &line, at: start + requestPlace) }
    line.copy(stamp.time.span, at: start + timePlace + shift)
  }

  /// What all records of one commit have in common.
  struct Stamp {
    /// 32 digits.
    let boot: [UInt8]
    /// RFC 3339 with microseconds, 27 characters.
    let time: [UInt8]

    /// Nil if the clock shows a year that the format cannot express.
    init?(boot: BootID, time: Timestamp) {
      self.boot = Array(boot.text.utf8)
      self.time = Array(time.description.utf8)
      guard self.time.count == Draft.timeCount, time.microseconds >= 0 else { return nil }
    }
  }

  static let timeCount = 27
  private static let blankTime = String(repeating: "0", count: timeCount)
  private static let blank32 = String(repeating: "0", count: 32)
  private static let blank64 = String(repeating: "0", count: 64)
}

extension Draft {
  init(_ event: Event) {
    var fields = RecordFields(operation: event.name)
    fields.event = .daemon(event)
    fields.key = event.target?.id
    fields.label = event.target?.label
    self.init(fields)
  }
}

/// The text that the records of one caller's requests for one operation with one key have in
/// common, so that it is written only once.
///
/// What a request brings along (its number, its inputs, what was released) is never part of the
/// text that is kept, except that of a record without inputs, whose outcome is kept with it.
package struct RecordTemplates {
  /// The rule that the text names; under another it is written anew.
  private var covering: CoveringRule?
  private var fixed = FixedText()
  /// Records without inputs, by their outcome.
  private var whole: [(outcome: Outcome, draft: Draft)] = []

  /// How many outcomes are kept.
  static let capacity = 4

  package init() {}

  /// How many records are kept whole.
  var count: Int { whole.count }

  /// As `Attempt(_:allowed:_:inputs:furtherKeys:)`, with the same text.
  ///
  /// - Parameters:
  ///   - id: the request's number.
  ///   - facts: what is known of the request; asked for only if text must be written anew.
  package mutating func attempt(
    _ id: UInt64, allowed grant: consuming Grant, _ outcome: Outcome, inputs: Inputs?,
    furtherKeys: [KeyID], _ facts: () -> RequestFacts
  ) -> Attempt {
    guard furtherKeys.isEmpty else {
      return Attempt(facts(), allowed: grant, outcome, inputs: inputs, furtherKeys: furtherKeys)
    }
    if covering !== grant.covering { begin(facts(), grant) }
    let user = grant.caller.person
    if inputs == nil, let known = whole.first(where: { $0.outcome == outcome }) {
      return Attempt(known.draft.numbered(id), of: user)
    }
    let draft = draft(id, grant.opcode, outcome, inputs)
    if inputs == nil {
      if whole.count >= Self.capacity { whole = [] }
      whole.append((outcome, draft))
    }
    return Attempt(draft, of: user)
  }

  private mutating func begin(_ facts: RequestFacts, _ grant: borrowing Grant) {
    covering = grant.covering
    whole = []
    fixed = FixedText(RecordFields(facts, allowed: grant))
  }

  private func draft(_ id: UInt64, _ opcode: Opcode, _ outcome: Outcome, _ inputs: Inputs?) -> Draft
  {
    var fields = RecordFields(operation: opcode.name)
    fields.fixed = fixed
    fields.request = id
    if let inputs { fields.inputs = inputs }
    fields.add(outcome)
    return Draft(fields)
  }
}

/// The parts of a record that stay the same, as members of its object.
struct FixedText: Sendable {
  /// `actor`.
  private(set) var actor: [UInt8] = []
  /// From `key` to `policy`, of a record without `keys`.
  private(set) var keyToPolicy: [UInt8] = []

  init() {}

  init(_ fields: RecordFields) {
    actor = CanonicalJSONWriter.members(fields.writeActor)
    keyToPolicy = CanonicalJSONWriter.members(fields.writeKeyToPolicy)
  }
}
