import Audit
package import Crypto
import Format
package import KeyStore

/// One statement of a transcript, never a secret.
package enum TranscriptEntry: Hashable, Sendable {
  /// A sitting begins: which file is followed, on what kind of store, and which key signs the
  /// checkpoints.
  case began(Beginning)
  case present(person: String)
  /// Somebody is missing, which is an exception.
  case absent(person: String)
  case step(number: Int, kind: String)
  /// The step is done: all of its changes are durable.
  case stepDone(number: Int)
  /// A prompt and somebody's answer.
  case answer(person: String, prompt: String, text: String)
  /// A check value, a fingerprint or a hash, as the program computed it.
  case fact(subject: String, value: String)
  /// The same, as somebody typed it back.
  case readBack(person: String, subject: String, value: String)
  /// A sheet that somebody was shown alone.
  case sheet(person: String, subject: String, value: String)
  /// A secret that somebody typed in, with its public fingerprint or check value.
  case entry(person: String, subject: String, value: String)
  case output(name: String, digest: Digest256)
  /// A deviation from the plan.
  case exception(person: String, text: String)
  /// What the store is about to become.
  case change(StoreChange)
  /// The hash over all that the open store holds, after every key was unwrapped and checked.
  case inventory(Digest256)
  /// A checkpoint over everything up to here, this record included, is shown for people to write
  /// down.
  case shown(ShownAfter)
  /// All steps are done.
  case complete

  package struct Beginning: Hashable, Sendable {
    package let plan: Digest256
    package let kind: StoreKind
    /// Where the store is; in a rehearsal not where the plan has it.
    package let store: String
    /// Counted from 1: each start or resumption is a sitting, with a log and a key of its own.
    package let sitting: Int
    /// The verifier key of the sitting's checkpoints.
    package let verifier: String
  }
}

extension TranscriptEntry {
  var attempt: Attempt { Attempt(transcript: Self.prefix + name, event) }

  /// The entry of a transcript's record; nil for the log's own records, such as its start.
  ///
  /// - Throws: `TranscriptFault.entry` for a record that this version does not write.
  init?(_ record: Record) throws(TranscriptFault) {
    guard record.operation.hasPrefix(Self.prefix) else { return nil }
    do throws(CanonicalJSONError) {
      var fields = try CanonicalJSONFields(.object(record.event))
      self = try Self.read(record.operation.dropFirst(Self.prefix.count), &fields)
      try fields.end()
    } catch { throw .entry }
  }

  private static let prefix = "ceremony-"

  private var name: String {
    switch self {
    case .began: "began"
    case .present: "present"
    case .absent: "absent"
    case .step: "step"
    case .stepDone: "step-done"
    case .answer: "answer"
    case .fact: "fact"
    case .readBack: "read-back"
    case .sheet: "sheet"
    case .entry: "entry"
    case .output: "output"
    case .exception: "exception"
    case .change: "change"
    case .inventory: "inventory"
    case .shown: "shown"
    case .complete: "complete"
    }
  }

  private var event: CanonicalJSON {
    switch self {
    case .began(let beginning): beginning.json
    case .present(let person), .absent(let person): ["person": person]
    case .step(let number, let kind): ["kind": kind, "number": number]
    case .stepDone(let number): ["number": number]
    case .answer(let person, let prompt, let text):
      ["person": person, "prompt": prompt, "text": text]
    case .fact(let subject, let value): Self.value(subject, value)
    case .readBack(let person, let subject, let value), .sheet(let person, let subject, let value),
      .entry(let person, let subject, let value):
      ["person": person] + Self.value(subject, value)
    case .output(let name, let digest): ["name": name, "sha256": digest.hex]
    case .exception(let person, let text): ["person": person, "text": text]
    case .change(let change):
      ["inventory": change.inventory.hex] + Self.value(change.subject.text, change.value)
    case .inventory(let digest): ["sha256": digest.hex]
    case .shown(let after): ["after": after.text]
    case .complete: [:]
    }
  }

  private static func value(_ subject: String, _ value: String) -> CanonicalJSON {
    ["subject": subject, "value": value]
  }

  private static func read(_ name: Substring, _ fields: inout CanonicalJSONFields)
    throws(CanonicalJSONError) -> TranscriptEntry
  {
    switch name {
    case "began": .began(try Beginning(&fields))
    case "present": .present(person: try fields.string("person"))
    case "absent": .absent(person: try fields.string("person"))
    case "step": .step(number: try fields.stepNumber(), kind: try fields.string("kind"))
    case "step-done": .stepDone(number: try fields.stepNumber())
    case "answer":
      .answer(
        person: try fields.string("person"), prompt: try fields.string("prompt"),
        text: try fields.string("text"))
    case "fact": .fact(subject: try fields.string("subject"), value: try fields.string("value"))
    case "read-back":
      .readBack(
        person: try fields.string("person"), subject: try fields.string("subject"),
        value: try fields.string("value"))
    case "sheet":
      .sheet(
        person: try fields.string("person"), subject: try fields.string("subject"),
        value: try fields.string("value"))
    case "entry":
      .entry(
        person: try fields.string("person"), subject: try fields.string("subject"),
        value: try fields.string("value"))
    case "output": .output(name: try fields.string("name"), digest: try fields.digest("sha256"))
    case "exception":
      .exception(person: try fields.string("person"), text: try fields.string("text"))
    case "change": .change(try StoreChange(&fields))
    case "inventory": .inventory(try fields.digest("sha256"))
    case "shown": .shown(try fields.shownAfter())
    case "complete": .complete
    default: throw .schema
    }
  }
}

extension TranscriptEntry.Beginning {
  fileprivate var json: CanonicalJSON {
    [
      "kind": kind.rawValue, "plan": plan.hex, "sitting": sitting, "store": store,
      "verifier": verifier,
    ]
  }

  fileprivate init(_ fields: inout CanonicalJSONFields) throws(CanonicalJSONError) {
    guard let kind = StoreKind(rawValue: try fields.string("kind")),
      let sitting = Int(exactly: try fields.integer("sitting"))
    else { throw .schema }
    self.kind = kind
    self.sitting = sitting
    plan = try fields.digest("plan")
    store = try fields.string("store")
    verifier = try fields.string("verifier")
  }
}

extension StoreChange {
  fileprivate init(_ fields: inout CanonicalJSONFields) throws(CanonicalJSONError) {
    guard let subject = StoreSubject(try fields.string("subject")) else { throw .schema }
    self.init(
      subject: subject, value: try fields.string("value"), inventory: try fields.digest("inventory")
    )
  }
}

extension CanonicalJSONFields {
  fileprivate mutating func shownAfter() throws(CanonicalJSONError) -> ShownAfter {
    guard let after = ShownAfter(try string("after")) else { throw .schema }
    return after
  }

  fileprivate mutating func digest(_ name: String) throws(CanonicalJSONError) -> Digest256 {
    guard let digest = Digest256(hex: try string(name)) else { throw .schema }
    return digest
  }

  fileprivate mutating func stepNumber() throws(CanonicalJSONError) -> Int {
    guard let number = Int(exactly: try integer("number")),
      (1...CeremonyPlan.stepLimit).contains(number)
    else { throw .schema }
    return number
  }
}

extension TranscriptEntry {
  /// A line for people, who compare it with what they saw before they sign the transcript.
  package var text: String {
    switch self {
    case .began(let beginning):
      "sitting \(beginning.sitting) of a \(beginning.kind.rawValue) ceremony begins, on the store \(beginning.store), by the file \(beginning.plan.hex)"
    case .present(let person): "\(person) is there"
    case .absent(let person): "\(person) is absent"
    case .step(let number, let kind): "step \(number) begins: \(kind)"
    case .stepDone(let number): "step \(number) is done"
    case .answer(let person, let prompt, let text):
      "\(person) is asked '\(prompt)' and answers '\(text)'"
    case .fact(let subject, let value): "\(subject): \(value)"
    case .readBack(let person, let subject, let value): "\(person) reads back \(subject): \(value)"
    case .sheet(let person, let subject, let value):
      "\(person) is shown \(subject) alone, fingerprint \(value)"
    case .entry(let person, let subject, let value): "\(person) enters \(subject): \(value)"
    case .output(let name, let digest): "the output \(name) is written, SHA-256 \(digest.hex)"
    case .exception(let person, let text): "EXCEPTION, \(person): \(text)"
    case .change(let change): "the store's \(change.subject.text) is to become: \(change.value)"
    case .inventory(let digest):
      "every key of the store is unwrapped and checked; what it holds has the SHA-256 \(digest.hex)"
    case .shown(let after): "a checkpoint is shown after \(after.text)"
    case .complete: "all steps are done"
    }
  }
}
