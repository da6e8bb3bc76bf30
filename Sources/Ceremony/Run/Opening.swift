internal import CryptoBackend
internal import KeyStore

/// What comes before the first step: reading the file's hash aloud, checking the machine, the roll call, and, in a resumed ceremony,
/// comparing the transcript with what people have on paper.
struct Opening {
  private let floor: Floor
  private let host: CeremonyHost
  private let stepsDone: Int
  /// What the sittings before have left.
  private let paper: PaperTrail

  init(_ floor: Floor, _ host: CeremonyHost, stepsDone: Int, _ paper: PaperTrail) {
    (self.floor, self.host, self.stepsDone, self.paper) = (floor, host, stepsDone, paper)
  }

  func hold() throws(CeremonyError) {
    let plan = floor.plan
    if floor.kind == .rehearsal { try floor.tell("REHEARSAL: no key that is made here is for use") }
    try floor.tell("Ceremony \(plan.id): \(plan.purpose)")
    try floor.tell("File  \(plan.digest.hex)\n      \(plan.words.joined(separator: "\n      "))")
    try floor.tell("At every prompt, ! and a few words put an exception on the record; Control-C stops.")
    try floor.tell("Write down each checkpoint that is shown: after a stop, the transcript goes on from the newest one on paper.")
    if floor.sitting > 1 {
      try floor.tell("Sitting \(floor.sitting); \(stepsDone) of \(plan.steps.count) steps are done.")
      try floor.note(plan.people.administrator, Self.resumed(stepsDone, floor.sitting))
    }
    try checkMachine()
    for person in plan.people.all { try call(person) }
    try checkPresence()
    if floor.sitting > 1 { try comparePaper() }
    try floor.confirm(plan.people.administrator, Prompt.hash)
    try floor.showCheckpoint(.rollCall)
  }

  /// A rehearsal only shows what is wrong.
  private func checkMachine() throws(CeremonyError) {
    for file in host.software { try floor.record(.fact(subject: Subject.file(file.path), value: file.value)) }
    let found = host.conditions() + HostCondition.date(floor.plan.date, floor.now) + HostCondition.software(host.software, planned: floor.plan.software)
    for condition in found {
      try floor.tell("  NOT AS IT SHOULD BE: " + condition.text)
      guard floor.kind == .production else { continue }
      let administrator = floor.people.administrator
      guard try floor.ask(administrator, Prompt.accept) == "accept" else { throw .refused(.conditions) }
      try floor.note(administrator, condition.text)
    }
  }

  /// Asks until there is a valid answer for the person, so that a typing error does not end the sitting.
  private func call(_ person: Person) throws(CeremonyError) {
    while true {
      switch try floor.ask(person, Prompt.name) {
      case person.name: return try floor.welcome(person)
      case "absent" where Self.mayBeAbsent(person, floor.people): return try floor.record(.absent(person: person.name))
      default: try floor.tell("  this is the place of \(person.name)")
      }
    }
  }

  /// Checks that everybody who gets a share or enters a component is present.
  private func checkPresence() throws(CeremonyError) {
    for step in floor.plan.steps.dropFirst(stepsDone) {
      for name in step.action.needed {
        guard let person = floor.people.person(named: name), floor.isPresent(person) else { throw .refused(.needed(name)) }
      }
    }
  }

  private func comparePaper() throws(CeremonyError) {
    for person in paper.holders(floor.people, { floor.isPresent($0) }) {
      let found = try floor.retrying(else: .otherTranscript) { () throws(CeremonyError) -> (mark: String, entries: [TranscriptEntry])? in
        let found = paper.records(after: try floor.ask(person, Prompt.paper))
        if found == nil { try floor.tell("  this transcript has no such checkpoint, or an earlier sitting's") }
        return found
      }
      try floor.record(.readBack(person: person.name, subject: Subject.paper, value: found.mark))
      guard !found.entries.isEmpty else { continue }
      try floor.tell("  after it the transcript goes on:")
      for entry in found.entries { try floor.tell("    " + entry.text) }
      try floor.confirm(person, Prompt.following(found.entries))
    }
  }
}

extension Opening {
  /// Checks the records of the opening.
  static func check(_ records: inout RecordCursor, _ sitting: Int, stepsDone: Int, _ paper: PaperTrail) throws(RecordCursor.End) {
    let people = records.people
    if sitting > 1 { try records.exception(of: people.administrator, resumed(stepsDone, sitting)) }
    let software = HostCondition.software(try loaded(&records), planned: records.plan.software)
    while try records.isAnswer(Prompt.accept) {
      guard try records.answer(people.administrator, Prompt.accept, atRollCall: true) == "accept" else { throw records.fault("accept") }
      try records.exception(of: people.administrator)
    }
    for condition in software where records.kind == .production && !records.exceptions.contains(condition.text) { throw records.fault(condition.text) }
    for person in people.all { try records.roll(person, mayBeAbsent: mayBeAbsent(person, people)) }
    if sitting > 1 {
      for person in paper.holders(people, { records.present.contains($0.name) }) { try checkPaper(person, paper, &records) }
    }
    try records.confirmation(people.administrator, Prompt.hash)
    try records.shown(.rollCall)
  }

  /// What the record says that was loaded into the program.
  private static func loaded(_ records: inout RecordCursor) throws(RecordCursor.End) -> [LoadedFile] {
    var files: [LoadedFile] = []
    while let file = try records.loadedFile() {
      guard files.last.map({ $0.path < file.path }) ?? true else { throw records.fault("each loaded file once, by its path") }
      files.append(file)
    }
    return files
  }

  private static func checkPaper(_ person: Person, _ paper: PaperTrail, _ records: inout RecordCursor) throws(RecordCursor.End) {
    var typed: (mark: String, entries: [TranscriptEntry])?
    repeat { typed = paper.records(after: try records.answer(person, Prompt.paper)) } while typed == nil
    guard let found = typed else { return }
    try records.readBack(person, Subject.paper, found.mark)
    if !found.entries.isEmpty { try records.confirmation(person, Prompt.following(found.entries)) }
  }

  private static func resumed(_ stepsDone: Int, _ sitting: Int) -> String { "resumed after \(stepsDone) steps, in sitting \(sitting)" }

  private static func mayBeAbsent(_ person: Person, _ people: People) -> Bool {
    person.name != people.administrator.name && person.name != people.reader.name
  }
}
