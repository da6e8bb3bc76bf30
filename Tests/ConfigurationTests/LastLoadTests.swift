import Foundation
import Host
import Testing

@testable import Configuration

@Suite struct LastLoadTests {
  @Test(arguments: [
    LastLoad(count: 1, refusal: nil),
    LastLoad(count: 2, refusal: "kist.toml:3:1: unknown key \"nonsense\""),
    LastLoad(count: 40, refusal: "taken"),
  ]) func isReadAsWritten(_ load: LastLoad) { #expect(LastLoad(line: load.line) == load) }

  @Test func aReasonOfTwoLinesBecomesOne() {
    #expect(LastLoad(count: 1, refusal: "first\nsecond").line == "1 refused: first second\n")
  }

  /// Also what is there while the daemon writes.
  @Test(arguments: [
    "", "\n", "1", "1 ", "1 taken", "1 tak", "0 taken\n", "-1 taken\n", "1 refused\n", "x taken\n",
    "taken\n",
  ])
  func anythingElseIsNone(_ line: String) { #expect(LastLoad(line: line) == nil) }

  @Test func withoutAFileThereIsNone() { #expect(LastLoad(in: "/nowhere") == nil) }
}
