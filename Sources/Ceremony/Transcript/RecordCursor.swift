import Crypto
import KeyStore

/// Reads a sitting's records in the order that the plan prescribes.
///
/// Exceptions that people add on their own may come anywhere.
package struct RecordCursor {
  let plan: CeremonyPlan
  let kind: StoreKind
  /// 0 before the first.
  var step = 0
  /// Who was present at the roll call.
  private(set) var present: Set<String> = []
  private(set) var expectation: StoreExpectation
  /// The texts of the exceptions so far.
  private(set) var exceptions: [String] = []
  private let entries: [TranscriptEntry]
  private var place = 0

  /// Why the reading ended.
  package enum End: Error {
    /// The sitting was cut off here.
    case cut
    case fault(TranscriptFault)
  }

  /// - Parameter earlier: the state at the end of the sitting before.
  init(
    _ entries: [TranscriptEntry], of plan: CeremonyPlan, _ kind: StoreKind,
    after earlier: RecordCursor?
  ) {
    self.entries = entries
    self.plan = plan
    self.kind = kind
    expectation = earlier?.expectation ?? StoreExpectation()
  }

  var people: People { plan.people }
  var isAtEnd: Bool { place == entries.count }

  /// Takes the next record if it is the one that must come now.
  mutating func take<R>(_ expected: @autoclosure () -> String, _ read: (TranscriptEntry) -> R?)
    throws(End) -> R
  {
    try passExceptions()
    guard !isAtEnd else { throw .cut }
    guard let result = read(entries[place]) else { throw fault(expected(), entries[place]) }
    place += 1
    return result
  }

  /// Whether the next record is that one.
  mutating func isNext(_ read: (TranscriptEntry) -> Bool) throws(End) -> Bool {
    try passExceptions()
    return !isAtEnd && read(entries[place])
  }

  /// The error for a record that should have come; if the sitting was cut off here, no more records
  /// are due.
  func fault(_ expected: String, _ found: TranscriptEntry? = nil) -> End {
    found == nil && isAtEnd
      ? .cut
      : .fault(
        .record(TranscriptFault.Mismatch(step: step, expected: expected, found: found?.text)))
  }

  private mutating func passExceptions() throws(End) {
    while !isAtEnd, case .exception(let person, let text) = entries[place] {
      guard people.person(named: person) != nil else {
        throw fault("an exception of somebody who takes part", entries[place])
      }
      exceptions.append(text)
      place += 1
      try takeShown(.exception)
    }
  }

  private mutating func takeShown(_ after: ShownAfter) throws(End) {
    guard !isAtEnd else { throw .cut }
    guard entries[place] == .shown(after) else {
      throw fault(TranscriptEntry.shown(after).text, entries[place])
    }
    place += 1
  }
}

extension RecordCursor {
  /// The checkpoint that people wrote down.
  mutating func shown(_ after: ShownAfter) throws(End) {
    try passExceptions()
    try takeShown(after)
  }

  /// An exception that the program itself records.
  mutating func exception(of person: Person, _ text: String? = nil) throws(End) {
    guard !isAtEnd else { throw .cut }
    guard case .exception(person.name, let said) = entries[place], text == nil || said == text
    else {
      throw fault(
        TranscriptEntry.exception(person: person.name, text: text ?? "…").text, entries[place])
    }
    try passExceptions()
  }

  mutating func roll(_ person: Person, mayBeAbsent: Bool) throws(End) {
    while true {
      let said = try answer(person, Prompt.name, atRollCall: true)
      if said == person.name {
        try take("\(person.name) is there") { $0 == .present(person: person.name) ? () : nil }
        present.insert(person.name)
        return
      }
      if said == "absent", mayBeAbsent {
        return try take("\(person.name) is absent") {
          $0 == .absent(person: person.name) ? () : nil
        }
      }
    }
  }

  @discardableResult mutating func answer(
    _ person: Person, _ prompt: String, atRollCall: Bool = false
  ) throws(End) -> String {
    let text = try take("\(person.name) answers '\(prompt)'") { entry -> String? in
      guard case .answer(person.name, prompt, let text) = entry else { return nil }
      return text
    }
    if !atRollCall { try require(person) }
    return text
  }

  mutating func isAnswer(_ prompt: String) throws(End) -> Bool {
    try isNext { if case .answer(_, prompt, _) = $0 { true } else { false } }
  }

  mutating func confirmation(_ person: Person, _ statement: String) throws(End) {
    let prompt = Prompt.confirming(statement)
    for _ in 0..<3 where try answer(person, prompt) == "yes" { return }
    throw fault("\(person.name) says yes to '\(statement)'")
  }

  @discardableResult mutating func fact(_ subject: String, _ expected: String? = nil) throws(End)
    -> String
  {
    try take(expected.map { "\(subject): \($0)" } ?? subject) { entry in
      guard case .fact(subject, let value) = entry, expected == nil || value == expected else {
        return nil
      }
      return value
    }
  }

  /// A file that was loaded into the program, where that comes next.
  mutating func loadedFile() throws(End) -> LoadedFile? {
    try passExceptions()
    guard !isAtEnd, case .fact(let subject, let value) = entries[place],
      let path = Subject.path(of: subject)
    else { return nil }
    place += 1
    let file = LoadedFile(path: path, digest: Digest256(hex: value))
    guard file.value == value else { throw fault("the SHA-256 of \(path)") }
    return file
  }

  /// A value that was shown and read back by the operator.
  @discardableResult mutating func readBack(_ check: ReadBack) throws(End) -> String {
    let value = try fact(check.subject)
    try readBack(people.reader, check.subject, value)
    return value
  }

  mutating func readBack(_ person: Person, _ subject: String, _ value: String) throws(End) {
    try take("\(person.name) reads back \(subject): \(value)") {
      $0 == .readBack(person: person.name, subject: subject, value: value) ? () : nil
    }
    try require(person)
  }

  /// - Parameter role: who that is, between commas.
  private func require(_ person: Person, _ role: String = "") throws(End) {
    guard present.contains(person.name) else {
      throw fault("\(person.name)\(role) was there at the roll call")
    }
  }

  mutating func sheet(_ person: Person, _ subject: String) throws(End) -> String {
    try require(person, ", who is shown \(subject),")
    return try take("\(person.name) is shown \(subject)") { entry in
      guard case .sheet(person.name, subject, let value) = entry else { return nil }
      return value
    }
  }

  @discardableResult mutating func entry(
    _ person: Person, _ subject: String, _ expected: String? = nil
  ) throws(End) -> String {
    try require(person, ", who enters \(subject),")
    return try take("\(person.name) enters \(subject)" + (expected.map { ": \($0)" } ?? "")) {
      entry in
      guard case .entry(person.name, subject, let value) = entry,
        expected == nil || value == expected
      else { return nil }
      return value
    }
  }

  /// Any share that this custodian enters.
  mutating func share(of person: Person) throws(End) -> String {
    try require(person, ", who enters a share,")
    return try take("\(person.name) enters a share") { entry in
      guard case .entry(person.name, let subject, let value) = entry, subject.hasPrefix("share ")
      else { return nil }
      return value
    }
  }

  /// If the next record says that an entry was refused, takes it.
  mutating func isRefused() throws(End) -> Bool {
    guard try isNext({ if case .fact(Subject.refused, _) = $0 { true } else { false } }) else {
      return false
    }
    place += 1
    return true
  }

  /// Whether the next record is this exception of theirs, or there is none.
  func isException(_ person: Person, _ text: String) -> Bool {
    guard !isAtEnd else { return true }
    if case .exception(person.name, text) = entries[place] { return true }
    return false
  }

  @discardableResult mutating func output(_ plannedName: String, _ expected: Digest256? = nil)
    throws(End) -> Digest256
  {
    let name = CeremonyDirectory.outputName(plannedName, kind)
    return try take("the output \(name)") { entry in
      guard case .output(name, let digest) = entry, expected == nil || digest == expected else {
        return nil
      }
      return digest
    }
  }

  /// The change that the step announces.
  ///
  /// - Parameter isRight: whether the value is the one that the plan and the earlier records give.
  /// - Returns: the value.
  @discardableResult mutating func change(_ subject: StoreSubject, _ isRight: (String) -> Bool)
    throws(End) -> String
  {
    let change = try take("the store's \(subject.text), as it was planned and read back") { entry in
      guard case .change(let change) = entry, change.subject == subject, isRight(change.value)
      else { return StoreChange?.none }
      return change
    }
    expectation.announce(change)
    return change.value
  }

  /// What the store holds, which must be what it held before or what was announced.
  mutating func inventory() throws(End) {
    let digest = try take("what the store holds") { entry in
      if case .inventory(let digest) = entry { digest } else { nil }
    }
    guard expectation.take(digest) else { throw .fault(.store) }
  }

  mutating func stepIsDone() throws(End) {
    let number = step
    try inventory()
    try take("step \(number) is done") { $0 == .stepDone(number: number) ? () : nil }
    expectation.finishStep()
  }
}
