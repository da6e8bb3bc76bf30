import Ceremony
import Crypto
import Format
import Foundation
import Host
import KeyStore
import TestSupport
import Testing

/// A ceremony that ends anywhere leaves the old keys as they were, a transcript that is true as far
/// as it goes, and can go on.
///
/// The last prompt of each kind, and one in twelve of the calls to the disk that a step makes of
/// its own; after one in four of these the ceremony is held to its end. In the long form (`make
/// soak`) every prompt, each word of a share among them, and every call there is; each of a step's
/// own fails in every way, and the ways to lose power take turns.
@Suite struct AbortTests {
  @Test(arguments: AbortTrial.all) func nobodyIsThereAnyMore(_ trial: AbortTrial) throws {
    let scene = try AbortScene.of(trial)
    for (place, prompt) in scene.asked.enumerated()
    where place >= scene.firstPrompt && isTried(scene.asked, place) {
      let room = try scene.room()
      let desk = scene.desk()
      desk.promptLimit = place
      #expect(throws: CeremonyError.desk(.gone)) { try room.run(trial.plan, desk) }
      let goesOn = LongForm.isOn || (scene.asked.count - place) % 3 == 1
      try scene.check(room, desk.paper, isPartial: true, goesOn: goesOn, "\(prompt)")
    }
  }

  /// Power is lost when a call to the disk fails: what was durable is all there is, or all that was
  /// written, or halves of it.
  @Test(arguments: AbortTrial.all) func thePowerGoes(_ trial: AbortTrial) throws {
    let scene = try AbortScene.of(trial)
    var tried = 0
    // The last call of a step makes it done; from there backwards.
    for (place, call) in scene.calls.filter({ LongForm.isOn || scene.isOfStep($0) }).reversed()
      .enumerated()
    where LongForm.isOn || place.isMultiple(of: 12) {
      let isInEveryWay = LongForm.isOn && scene.isOfStep(call)
      for (number, fault) in SimulatedDisk.Fault.allCases.enumerated()
      where isInEveryWay || number == call % 3 {
        let crash = SimulatedDisk.Crash.allCases[(call / 3 + number) % 4]
        let goesOn = isInEveryWay || place.isMultiple(of: LongForm.isOn ? 4 : 48)
        let room = try scene.room()
        let desk = scene.desk()
        room.disk.fail(call: call, fault, errno: 5)
        do { try room.run(trial.plan, desk) } catch is CeremonyError {}
        try scene.check(
          TestRoom(room.disk.afterCrash(crash)), desk.paper, isPartial: false, goesOn: goesOn,
          "call \(call), \(fault), \(crash)")
        tried += 1
      }
    }
    #expect(tried > 1)
  }

  /// Whether nobody is asked the same again, whoever they are and whichever share it is of.
  private func isTried(_ asked: [String], _ place: Int) -> Bool {
    func kind(_ prompt: String) -> String { prompt.drop { $0 != ":" }.filter { !$0.isNumber } }
    return LongForm.isOn || !asked[(place + 1)...].contains { kind($0) == kind(asked[place]) }
  }

  @Test func whatIsComplete() throws {
    let room = try TestRoom()
    try room.run(AbortTrial.initialise.plan)
    let again = try room.resume(ScriptedDesk())
    #expect(again.prompts == 1 && again.shown.contains("Checkpoint"))
    #expect(try room.verdict().reading.sittings == 1)
    // The power went between the last record and the note.
    room.disk.unplant("/ceremony/transcript.note")
    #expect(try room.verdict().outcome == .partial)
    try room.resume(ScriptedDesk())
    #expect(try room.verdict().outcome == .unwitnessed)
  }
}
