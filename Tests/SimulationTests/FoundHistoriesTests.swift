import ServiceHarness
import Simulation
import Testing

/// The shortest histories of every seed that ever surprised, after their causes were mended.
@Suite struct FoundHistoriesTests {
  @Test(
    "a history that once surprised does so no more",
    arguments: [
      // The log lost the record of an opening while the clock was a day behind: a token opened twice.
      [
        .open(age: 193, canRetry: false), .stop, .start, .open(age: 121, canRetry: false), .setClock(-90_000), .use, .code, .stop, .loseSegment, .start,
        .setClock(0), .openAgain(0),
      ]
    ] as [[Act]])
  func found(_ acts: [Act]) throws {
    let history = History(acts, in: try TokenScene())
    #expect(history.surprise == nil, "\(history.told)")
    #expect(history.outcomes.count == acts.count)
  }
}
