import Ceremony
import CryptoBackend
import Encoding
import Foundation
import KeyBlock
import KeyStore
import SecretMemory
import Storage
import TestSupport
import Testing

/// A ceremony that ends anywhere leaves the old keys as they were, a transcript that is true as far as it goes, and can go on.
///
/// Every prompt, and every call to the disk that a step makes of its own; after every third of these the ceremony is held to its end.
/// In the long form (`make soak`) that is every word of a share, too, and every call there is, each failing in every way and followed
/// by every way to lose power.
@Suite struct AbortTests {
  private static let isLong = ProcessInfo.processInfo.environment["KIST_SOAK_ROUNDS"] != nil

  @Test(arguments: AbortTrial.all) func nobodyIsThereAnyMore(_ trial: AbortTrial) throws {
    let scene = try AbortScene.of(trial)
    for (place, prompt) in scene.asked.enumerated() where place >= scene.firstPrompt && isTried(prompt) {
      let room = try scene.room()
      let desk = scene.desk()
      desk.promptLimit = place
      #expect(throws: CeremonyError.desk(.gone)) { try room.run(trial.plan, desk) }
      try scene.check(room, desk.paper, isPartial: true, "\(prompt)")
    }
  }

  /// Power is lost when a call to the disk fails: what was durable is all there is, or all that was written, or halves of it.
  @Test(arguments: AbortTrial.all) func thePowerGoes(_ trial: AbortTrial) throws {
    let scene = try AbortScene.of(trial)
    var tried = 0
    for call in scene.calls where Self.isLong || scene.isOfStep(call) {
      for fault in Self.isLong ? SimulatedDisk.Fault.allCases : [SimulatedDisk.Fault.allCases[call % 3]] {
        let room = try scene.room()
        let desk = scene.desk()
        room.disk.fail(call: call, fault, errno: 5)
        do { try room.run(trial.plan, desk) } catch is CeremonyError {}
        for crash in Self.isLong ? SimulatedDisk.Crash.allCases : [SimulatedDisk.Crash.allCases[call / 3 % 4]] {
          let goesOn = Self.isLong || call.isMultiple(of: 3)
          try scene.check(TestRoom(room.disk.afterCrash(crash)), desk.paper, isPartial: false, goesOn: goesOn, "call \(call), \(fault), \(crash)")
          tried += 1
        }
      }
    }
    #expect(tried > 10)
  }

  /// Of a share's words, the first and the last are like all others.
  private func isTried(_ prompt: String) -> Bool {
    guard !Self.isLong, let word = prompt.firstMatch(of: /word ([0-9]+) of 33/) else { return true }
    return word.1 == "1" || word.1 == "33"
  }

  @Test func whatIsComplete() throws {
    let room = try TestRoom()
    try room.run(AbortTrial.initialise.plan)
    let again = try room.resume(ScriptedDesk())
    #expect(again.prompts == 1 && again.shown.contains("Checkpoint"))
    #expect(try room.verdict().reading.sittings == 1)
    // The power went between the last record and the note.
    room.disk.unplant("/ceremony/transcript.note")
    #expect(try room.verdict().standing == .partial)
    try room.resume(ScriptedDesk())
    #expect(try room.verdict().standing == .unwitnessed)
  }
}
