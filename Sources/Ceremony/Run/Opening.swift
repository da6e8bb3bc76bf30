internal import CryptoBackend
internal import KeyStore

/// What comes before the first step: the file's hash read aloud, the machine looked at, and everybody there.
struct Opening {
  private let floor: Floor
  private let host: CeremonyHost
  private let sitting: Int
  private let stepsDone: Int

  init(_ floor: Floor, _ host: CeremonyHost, sitting: Int, stepsDone: Int) {
    (self.floor, self.host, self.sitting, self.stepsDone) = (floor, host, sitting, stepsDone)
  }

  func hold() throws(CeremonyError) {
    let plan = floor.plan
    if floor.kind == .rehearsal { try floor.tell("REHEARSAL: no key that is made here is for use") }
    try floor.tell("Ceremony \(plan.id): \(plan.purpose)")
    try floor.tell("File  \(plan.digest.hex)\n      \(plan.words.joined(separator: "\n      "))")
    try floor.tell("At every prompt, ! and a few words put an exception on the record; Control-C stops.")
    if sitting > 1 { try resumed() }
    try checkMachine()
    try callRoll()
    try floor.confirm(plan.people.administrator, "the file's hash was read aloud, and is that of the file that was reviewed")
  }

  private func resumed() throws(CeremonyError) {
    try floor.tell("Sitting \(sitting); \(stepsDone) of \(floor.plan.steps.count) steps are done.")
    try floor.record(.exception(person: floor.people.administrator.name, text: "resumed after \(stepsDone) steps, in sitting \(sitting)"))
  }

  /// In a rehearsal what is wrong is only told.
  private func checkMachine() throws(CeremonyError) {
    var found = host.conditions() + HostCondition.date(floor.plan.date, floor.now)
    if host.software != floor.plan.software { found.append(.software) }
    for condition in found {
      try floor.tell("  NOT AS IT SHOULD BE: " + condition.text)
      guard floor.kind == .production else { continue }
      let administrator = floor.people.administrator
      guard try floor.ask(administrator, "accept this, on the record (accept)") == "accept" else { throw .refused(.conditions) }
      try floor.record(.exception(person: administrator.name, text: condition.text))
    }
  }

  private func callRoll() throws(CeremonyError) {
    for person in floor.people.all {
      try floor.retrying { () throws(CeremonyError) -> Void? in
        switch try floor.ask(person, "your name, or absent") {
        case person.name: return try floor.record(.present(person: person.name))
        case "absent" where person.name != floor.people.administrator.name && person.name != floor.people.reader.name:
          return try floor.record(.exception(person: floor.people.administrator.name, text: person.name + " is absent"))
        default:
          try floor.tell("  this is the place of \(person.name)")
          return nil
        }
      }
    }
  }
}
