import Foundation
import TestSupport
import Testing

extension CeremonyTests {
  private static let rotating =
    "[[step]]\nkind = \"rotate-kek\"\nthreshold = 2\ncustodians = [\"carol\", \"dave\", \"erin\"]\n"
  private static let resharing =
    "[[step]]\nkind = \"reshare\"\nthreshold = 2\ncustodians = [\"erin\", \"dave\", \"carol\"]\n"
  private static let destroying = "[[step]]\nkind = \"destroy\"\nlabel = \"data/pan\"\n"
  private static let later = unlock + importing + rotating + resharing + destroying

  /// Where a ceremony on a store that is there is stopped, how, and whether the sheets of before
  /// open the store after it.
  struct Stop: Sendable, CustomTestStringConvertible {
    let prompt: String
    let signal: Int32
    var opensAsBefore = true
    var testDescription: String { "\(prompt), signal \(signal)" }
  }

  /// One at each stage of a ceremony; in the long form more of each.
  static let stops =
    [
      Stop(prompt: "component 2 of", signal: SIGINT), Stop(prompt: "sheet", signal: SIGKILL),
      Stop(prompt: "sheets of the old set, and", signal: SIGKILL, opensAsBefore: false),
      Stop(prompt: "for ever", signal: SIGINT, opensAsBefore: false),
    ] + (LongForm.isOn ? furtherStops : [])

  private static let furtherStops = [
    Stop(prompt: "the file's hash was read aloud", signal: SIGKILL),
    Stop(prompt: "word 33 of", signal: SIGTERM),
    Stop(prompt: "KEK check value", signal: SIGKILL),
    Stop(prompt: "check value of data/exchanged", signal: SIGKILL),
    Stop(prompt: "with the sheet for share 2", signal: SIGTERM),
    Stop(prompt: "envelope for share 3", signal: SIGINT),
    Stop(prompt: "all sheets of the old set", signal: SIGKILL, opensAsBefore: false),
    Stop(prompt: "file with your signature", signal: SIGKILL, opensAsBefore: false),
  ]

  /// Whatever stops it, at each step: the keys of before are there, the transcript is partial or
  /// complete, and it goes on from there.
  @Test(arguments: stops) func stoppedOnAStoreThatIsThere(_ stop: Stop) throws {
    #expect(
      try hold(["run", plan("first", Self.initialise + Self.generate), scratch.path + "/first"])
        .code == 0)
    let before = try paper()
    let file = try plan("later", Self.later)
    let session = try hold(["run", file, scratch.path + "/later"], stop: stop.prompt, stop.signal)
    #expect((session.code, session.signal) == (-1, stop.signal), "\(session.shown)")
    let isOver = stop.prompt.hasPrefix("file with")
    #expect(try verify("later").code == (isOver ? 5 : 3))
    // Custodians have kept the old sheets, as the step says.
    if stop.opensAsBefore {
      var paper = before
      paper.checkpoints = try self.paper().checkpoints
      try put(paper)
    }
    let drill = try hold(["run", plan("drill", Self.unlock), scratch.path + "/drill"])
    let keys = isOver ? 3 : session.shown.contains("data/exchanged is in the store") ? 4 : 3
    #expect(
      drill.code == 0
        && drill.shown.contains("the store is open: \(keys) keys, each unwrapped and checked"),
      "\(drill.shown)")
    let next = try hold(["resume", scratch.path + "/later"])
    #expect(
      next.code == 0 && (isOver || next.shown.contains("All steps are done.")), "\(next.shown)")
    #expect(try verify("later").code == 5)
    #expect(
      try hold(["run", plan("again", Self.unlock), scratch.path + "/again"]).shown.contains(
        "the store is open: 3 keys"))
  }
}
