import Crypto
import Format
import Host
package import KeyStore

/// What a step works with: the people in the room, the store, and the transcript that records
/// everything asked and answered.
package final class CeremonyRoom {
  package let plan: CeremonyPlan
  /// Of the store, and of everything that is made here.
  let kind: StoreKind
  /// Where the store is; in a rehearsal not where the plan has it.
  let place: StorePlace
  let directory: CeremonyDirectory
  /// Counted from 1.
  let sitting: Int
  /// Who was there at the roll call.
  private var present: Set<String> = []
  /// Open from the first step on.
  package internal(set) var store: KeyStore? { didSet { takePart() } }
  /// The kind of the step that is being done.
  private var step: String?
  private var expectation: StoreExpectation
  private let desk: any CeremonyDesk
  private let transcript: Transcript
  private let clock: @Sendable () -> Timestamp

  var people: People { plan.people }
  var now: Timestamp { clock() }

  init(
    _ plan: CeremonyPlan, kind: StoreKind, place: StorePlace, directory: CeremonyDirectory,
    sitting: Int, expectation: StoreExpectation,
    desk: any CeremonyDesk, transcript: Transcript, clock: @escaping @Sendable () -> Timestamp
  ) {
    self.plan = plan
    self.kind = kind
    self.place = place
    self.directory = directory
    self.sitting = sitting
    self.expectation = expectation
    self.desk = desk
    self.transcript = transcript
    self.clock = clock
  }

  func record(_ entry: TranscriptEntry) throws(CeremonyError) { try transcript.record(entry) }

  /// Shows a line to everybody.
  func tell(_ text: String) throws(CeremonyError) {
    try onDesk(desk.show(text + "\n"))
  }

  /// Begins a step; the store notes what the step changes, for the daemon's log.
  func begin(_ number: Int, _ step: String) throws(CeremonyError) {
    try record(.step(number: number, kind: step))
    self.step = step
    takePart()
  }

  private func takePart() {
    guard let step else { return }
    let name = plan.id + (sitting == 1 ? "" : "/\(sitting)")
    store?.takePart(
      in: CeremonyReference(
        name: name, step: step, people: [people.administrator.name, people.reader.name],
        transcript: transcript.anchor))
  }

  func openStore() throws(CeremonyError) -> KeyStore {
    guard let store else { throw .refused(.storeAbsent) }
    return store
  }
}

extension CeremonyRoom {
  func isPresent(_ person: Person) -> Bool { present.contains(person.name) }

  func welcome(_ person: Person) throws(CeremonyError) {
    present.insert(person.name)
    try record(.present(person: person.name))
  }

  /// Shows a checkpoint over every record so far, for people to write down.
  func showCheckpoint(_ after: ShownAfter) throws(CeremonyError) {
    let mark = try transcript.mark(after)
    try tell(
      "  checkpoint after \(after.text): \(mark.digits)\n      "
        + mark.words.joined(separator: "\n      "))
  }

  /// Puts an exception on the record.
  func note(_ person: Person, _ text: String) throws(CeremonyError) {
    try record(.exception(person: person.name, text: text))
    try showCheckpoint(.exception)
  }
}

extension CeremonyRoom {
  /// Whether the interrupted step had made its announced change of the store.
  var isChangeMade: Bool { expectation.isChangeMade }

  /// Records what the store will hold, and then makes the change.
  func change(
    _ subject: StoreSubject, to inventory: StoreInventory,
    _ body: @autoclosure () throws(CeremonyError) -> Void
  ) throws(CeremonyError) {
    let change = StoreChange(subject, to: inventory)
    expectation.announce(change)
    try record(.change(change))
    try body()
  }

  /// Checks that the open store holds what this ceremony left there, and records it.
  func takeStock() throws(CeremonyError) {
    let found = try StoreInventory(openStore())
    let announced = expectation.announced
    guard expectation.take(found.digest) else {
      guard let announced, let line = found.line(announced.subject), line != announced.value else {
        throw .refused(.otherStore(nil))
      }
      throw .refused(.otherStore(announced.subject))
    }
    try record(.inventory(found.digest))
  }

  /// Puts on the record that a step is done.
  func finish(step number: Int) throws(CeremonyError) {
    try takeStock()
    try record(.stepDone(number: number))
    expectation.finishStep()
    try showCheckpoint(.step(number))
  }
}

extension CeremonyRoom {
  private static let attempts = 3

  /// One line from one person, on the record.
  func ask(_ person: Person, _ prompt: String) throws(CeremonyError) -> String {
    let answer = try line(person, prompt)
    try record(.answer(person: person.name, prompt: prompt, text: answer))
    return answer
  }

  /// Goes on only if the person types exactly `yes`.
  func confirm(_ person: Person, _ statement: String) throws(CeremonyError) {
    for _ in 0..<Self.attempts where try ask(person, Prompt.confirming(statement)) == "yes" {
      return
    }
    throw .refused(.notConfirmed)
  }

  /// Shows a check value, and has the operator type it back; spaces and the case of letters do not
  /// matter.
  func readBack(_ check: ReadBack, _ value: String) throws(CeremonyError) {
    let subject = check.subject
    try record(.fact(subject: subject, value: value))
    try tell("  \(subject): \(value)")
    for _ in 0..<Self.attempts {
      let answer = try line(
        people.reader, "\(subject), as \(people.administrator.name) reads it out")
      guard Self.digits(answer) == Self.digits(value) else {
        try tell("  that is not what is shown")
        continue
      }
      return try record(.readBack(person: people.reader.name, subject: subject, value: value))
    }
    throw .refused(.attempts)
  }

  /// The record of a key that is not destroyed, whose check value is read back first.
  @discardableResult func readBackKey(_ label: KeyLabel) throws(CeremonyError) -> KeyRecord {
    guard let record = try openStore().record(labelled: label), record.state != .destroyed else {
      throw .refused(.keyAbsent)
    }
    try readBack(.key(label), record.check.text)
    return record
  }

  /// Has a value of the open store read back.
  func readBack(_ check: ReadBack) throws(CeremonyError) {
    let store = try openStore()
    switch check {
    case .kek: try readBack(check, store.kekCheck.description)
    case .key(let label):
      guard let record = store.record(labelled: label) else { throw .refused(.keyAbsent) }
      try readBack(check, record.check.text)
    // A backup changes no store, so it is made again.
    case .backup: throw .refused(.notConfirmed)
    }
  }

  /// One secret line from one person; the caller records the outcome.
  func askSecret(_ person: Person, _ prompt: String) throws(CeremonyError) -> SecretBuffer {
    while true {
      let answer = try onDesk(desk.askSecret("\(person.name): \(prompt): "))
      let isException = answer.count == 1 && answer.bytes[0] == UInt8(ascii: "!")
      if !isException { return answer }
      try noteException(person, "")
    }
  }

  /// Says why an entry is not accepted.
  func refuse(_ text: String) throws(CeremonyError) {
    try record(.fact(subject: Subject.refused, value: text))
    try tell("  " + text)
  }

  /// The present size of the screen.
  var screen: ScreenSize { desk.size }

  /// Shows a page to one person who is alone at the screen.
  func showAlone(_ person: Person, _ page: borrowing SecretPage) throws(CeremonyError) {
    try page.read { (text) throws(CeremonyError) in
      try onDesk(desk.showAlone(text))
    }
  }

  /// Repeats what somebody may get wrong, up to three times; nil means wrong.
  func retrying<R: ~Copyable>(
    else refusal: CeremonyError.Refusal = .attempts, _ body: () throws(CeremonyError) -> R?
  ) throws(CeremonyError) -> R {
    for _ in 0..<Self.attempts {
      if let result = try body() { return result }
    }
    throw .refused(refusal)
  }

  /// Writes a public file, and records its hash.
  func write(_ plannedName: String, _ contents: [UInt8]) throws(CeremonyError) {
    let name = CeremonyDirectory.outputName(plannedName, kind)
    try onDisk(directory.write(name, contents, in: CeremonyDirectory.outputsName))
    let digest = SHA256.hash(contents)
    try record(.output(name: name, digest: digest))
    try tell("  \(CeremonyDirectory.outputsName)/\(name): SHA-256 \(digest.hex)")
  }

  /// A line that is not an exception; at every prompt people can type `!` and what happened.
  private func line(_ person: Person, _ prompt: String) throws(CeremonyError) -> String {
    while true {
      let answer = try onDesk(desk.ask("\(person.name): \(prompt): "))
      // Control characters, which an arrow key types, would act on the terminal of a reader of the
      // record.
      guard Printable.isLine(answer) else {
        try tell("  that has characters which do not show; type it again")
        continue
      }
      guard answer.hasPrefix("!") else { return answer }
      try noteException(person, String(answer.dropFirst()))
    }
  }

  private func noteException(_ person: Person, _ said: String) throws(CeremonyError) {
    var text = said.drop { $0 == " " }[...]
    while text.isEmpty || !Printable.isLine(String(text)) {
      text = try onDesk(desk.ask("\(person.name): what happened, in a line: "))[...]
    }
    try note(person, String(text))
    try tell("  that is on the record")
  }

  private static func digits(_ text: String) -> String {
    String(text.filter { !$0.isWhitespace }).lowercased()
  }
}

extension KeyStore {
  /// The record of the key that has this label, or had it.
  package func record(labelled label: KeyLabel) -> KeyRecord? {
    records.first { $0.label == label }
  }
}
