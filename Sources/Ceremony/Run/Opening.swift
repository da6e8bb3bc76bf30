import Crypto
import KeyStore

/// What comes before the first step: reading the file's hash aloud, checking the machine, the roll
/// call, and, in a resumed ceremony, comparing the transcript with what people have on paper.
struct Opening {
  private let room: CeremonyRoom
  private let host: CeremonyHost
  private let stepsDone: Int
  /// What the sittings before have left.
  private let paper: PaperTrail

  init(_ room: CeremonyRoom, _ host: CeremonyHost, stepsDone: Int, _ paper: PaperTrail) {
    self.room = room
    self.host = host
    self.stepsDone = stepsDone
    self.paper = paper
  }

  func hold() throws(CeremonyError) {
    let plan = room.plan
    if room.kind == .rehearsal { try room.tell("REHEARSAL: do not use any key that is made here") }
    try room.tell("Ceremony \(plan.id): \(plan.purpose)")
    try room.tell("File  \(plan.digest.hex)\n      \(plan.words.joined(separator: "\n      "))")
    try room.tell(
      "At every prompt, ! and a few words put an exception on the record; Control-C stops.")
    try room.tell(
      "Write down each checkpoint that is shown: after a stop, the transcript goes on from the newest one on paper."
    )
    if room.sitting > 1 {
      try room.tell("Sitting \(room.sitting); \(stepsDone) of \(plan.steps.count) steps are done.")
      try room.note(plan.people.administrator, Self.resumed(stepsDone, room.sitting))
    }
    try checkMachine()
    for person in plan.people.all { try call(person) }
    try checkPresence()
    if room.sitting > 1 { try comparePaper() }
    try room.confirm(plan.people.administrator, Prompt.hash)
    try room.showCheckpoint(.rollCall)
  }

  /// A rehearsal only shows what is wrong.
  private func checkMachine() throws(CeremonyError) {
    for file in host.software {
      try room.record(.fact(subject: Subject.file(file.path), value: file.value))
    }
    let found =
      host.conditions() + HostCondition.date(room.plan.date, room.now)
      + HostCondition.software(host.software, planned: room.plan.software)
    for condition in found {
      try room.tell("  NOT AS IT SHOULD BE: " + condition.text)
      guard room.kind == .production else { continue }
      let administrator = room.people.administrator
      guard try room.ask(administrator, Prompt.accept) == "accept" else {
        throw .refused(.conditions)
      }
      try room.note(administrator, condition.text)
    }
  }

  /// Asks until there is a valid answer for the person, so that a typing error does not end the
  /// sitting.
  private func call(_ person: Person) throws(CeremonyError) {
    while true {
      switch try room.ask(person, Prompt.name) {
      case person.name: return try room.welcome(person)
      case "absent" where Self.mayBeAbsent(person, room.people):
        return try room.record(.absent(person: person.name))
      default: try room.tell("  this is the place of \(person.name)")
      }
    }
  }

  /// Checks that everybody who gets a share or enters a component is present.
  private func checkPresence() throws(CeremonyError) {
    for step in room.plan.steps.dropFirst(stepsDone) {
      for name in step.needed {
        guard let person = room.people.person(named: name), room.isPresent(person) else {
          throw .refused(.needed(name))
        }
      }
    }
  }

  private func comparePaper() throws(CeremonyError) {
    for person in paper.holders(room.people, { room.isPresent($0) }) {
      let found = try room.retrying(else: .otherTranscript) {
        () throws(CeremonyError) -> (mark: String, entries: [TranscriptEntry])? in
        let found = paper.records(after: try room.ask(person, Prompt.paper))
        if found == nil {
          try room.tell("  this transcript has no such checkpoint, or an earlier sitting's")
        }
        return found
      }
      try room.record(.readBack(person: person.name, subject: Subject.paper, value: found.mark))
      guard !found.entries.isEmpty else { continue }
      try room.tell("  after it the transcript goes on:")
      for entry in found.entries { try room.tell("    " + entry.text) }
      try room.confirm(person, Prompt.following(found.entries))
    }
  }
}

extension Opening {
  /// Checks the records of the opening.
  static func check(
    _ records: inout RecordCursor, _ sitting: Int, stepsDone: Int, _ paper: PaperTrail
  ) throws(RecordCursor.End) {
    let people = records.people
    if sitting > 1 { try records.exception(of: people.administrator, resumed(stepsDone, sitting)) }
    let software = HostCondition.software(try loaded(&records), planned: records.plan.software)
    while try records.isAnswer(Prompt.accept) {
      guard try records.answer(people.administrator, Prompt.accept, atRollCall: true) == "accept"
      else { throw records.fault("accept") }
      try records.exception(of: people.administrator)
    }
    for condition in software
    where records.kind == .production && !records.exceptions.contains(condition.text) {
      throw records.fault(condition.text)
    }
    for person in people.all { try records.roll(person, mayBeAbsent: mayBeAbsent(person, people)) }
    if sitting > 1 {
      for person in paper.holders(people, { records.present.contains($0.name) }) {
        try checkPaper(person, paper, &records)
      }
    }
    try records.confirmation(people.administrator, Prompt.hash)
    try records.shown(.rollCall)
  }

  /// What the record says that was loaded into the program.
  private static func loaded(_ records: inout RecordCursor) throws(RecordCursor.End) -> [LoadedFile]
  {
    var files: [LoadedFile] = []
    while let file = try records.loadedFile() {
      guard files.last.map({ $0.path < file.path }) ?? true else {
        throw records.fault("each loaded file once, by its path")
      }
      files.append(file)
    }
    return files
  }

  private static func checkPaper(
    _ person: Person, _ paper: PaperTrail, _ records: inout RecordCursor
  ) throws(RecordCursor.End) {
    var typed: (mark: String, entries: [TranscriptEntry])?
    repeat {
      typed = paper.records(after: try records.answer(person, Prompt.paper))
    } while typed == nil
    guard let found = typed else { return }
    try records.readBack(person, Subject.paper, found.mark)
    if !found.entries.isEmpty { try records.confirmation(person, Prompt.following(found.entries)) }
  }

  private static func resumed(_ stepsDone: Int, _ sitting: Int) -> String {
    "resumed after \(stepsDone) steps, in sitting \(sitting)"
  }

  private static func mayBeAbsent(_ person: Person, _ people: People) -> Bool {
    person.name != people.administrator.name && person.name != people.reader.name
  }
}
