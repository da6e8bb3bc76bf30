import ServiceHarness
import Simulation
import TestSupport
import Testing

/// The shortest histories of every seed that ever surprised, after their causes were mended.
@Suite struct FoundHistoriesTests {
  @Test(
    "a history that once surprised does so no more",
    arguments: [
      // The log lost the record of an opening while the clock was a day behind: a token opened
      // twice.
      [
        .open(age: 193, canRetry: false), .stop, .start, .open(age: 121, canRetry: false),
        .setClock(-90_000), .use, .code, .stop, .loseSegment, .start,
        .setClock(0), .openAgain(0),
      ],
      // The clock was an hour ahead when an envelope was made and opened, and right when the next
      // segments began: it opened twice.
      [.setClock(3600), .tokenise, .openEnvelope(0), .setClock(0)]
        + [Act](repeating: .work, count: 40)
        + [
          .wait(1300), .wait(1300), .wait(1300), .wait(700), .work, .kill(.keepsUnsynced), .start,
          .openEnvelope(0),
        ],
      // The disk was full, and after there was room again a key gave no more codes until the store
      // was opened anew.
      [.code, .fill(0), .code, .makeRoom, .code],
      // The disk failed between two changes of a ceremony that destroyed a suspended key: it was
      // active again, and the store did not open.
      [
        .change(.suspend), .kill(.keepsUnsynced), .fail(call: 12, .torn, errno: 5), .hold(.destroy),
        .start, .start,
      ],
      // A ceremony destroyed an active key, and its log did not say that the key was retired
      // before: what a restored copy made of that could not be read.
      [
        .backUp, .stop, .hold(.destroy), .start, .stop, .restore(0), .start, .lock, .unlock, .stop,
        .start,
      ],
      // The disk was full: locking failed at the last checkpoint, and nothing was served until the
      // next start.
      [.fill(25), .lock, .makeRoom, .unlock, .work],
      // There was room again, and a reload was refused as long as nobody else made a request.
      [.fill(0)] + [Act](repeating: .work, count: 60) + [.makeRoom, .swap(grants: false), .draw],
      // A write of the log that failed was counted by the head that the key store keeps: after a
      // crash the start called the log cut.
      [
        .code, .backUp, .kill(.losesUnsynced), .start, .together([.use, .use]),
        .fail(call: 0, .doneButError, errno: 28), .draw,
        .fail(call: 5, .doneButError, errno: 28), .seal, .change(.suspend), .kill(.losesUnsynced),
        .start,
      ],
      // A counter was removed, and after a start the segment with the uses: both gone, the limit
      // began anew.
      [
        .use, .use, .use, .open(age: 210, canRetry: false), .change(.suspend), .openAgain(0),
        .kill(.keepsUnsynced), .remove(.counters), .start,
        .kill(.losesUnsynced), .loseSegment, .start, .use, .use, .use, .use,
      ],
      // On a new host the copy that it began with was restored once more: its anchor is one of the
      // lost log, and nobody compared it with the new one.
      [
        .backUp, .kill(.keepsSecondHalves), .move(0), .start, .change(.retire),
        .open(age: 125, canRetry: true), .use, .kill(.losesUnsynced), .start,
        .kill(.losesUnsynced), .restore(0), .start, .work,
      ],
      // What found no room on a full disk stayed used: tokens without a retry key, and envelopes.
      [Act](repeating: .mint(age: 0, canRetry: false), count: 20) + [.fill(0)]
        + (0..<20).map { .openAgain($0) } + [.makeRoom]
        + (0..<20).map { .openAgain($0) },
      [Act](repeating: .tokenise, count: 20) + [.fill(0)] + (0..<20).map { .openEnvelope($0) } + [
        .makeRoom
      ] + (0..<20).map { .openEnvelope($0) },
      // The clock was set back over midnight and right again: ten draws of a day with five.
      [.setClock(90_000)] + [Act](repeating: .draw, count: 5) + [
        .kill(.losesUnsynced), .setClock(0), .start, .draw, .stop, .setClock(90_000), .start,
      ]
        + [Act](repeating: .draw, count: 5),
      // The records of a key's end were compressed: with the backup it was active again.
      [.backUp, .change(.compromise)] + [Act](repeating: .open(age: 0, canRetry: false), count: 40)
        + [.wait(691_200)]
        + [Act](repeating: .open(age: 0, canRetry: false), count: 40) + [
          .compress, .stop, .restore(0), .start, .work,
        ],
      // A ceremony changed a restored store that no daemon had opened: its files were no longer the
      // backup's, and nothing opened it.
      [.backUp, .stop, .restore(0), .hold(.destroy), .start, .work],
      // People vouched for the backup, and replaced the KEK: the mark's MAC was the old KEK's.
      [.backUp, .stop, .restore(0), .hold(.vouch), .hold(.rotateKEK), .start, .work],
    ] as [[Act]])
  func found(_ acts: [Act]) throws {
    let history = History(acts, in: try TokenScene(keks: 3))
    #expect(history.surprise == nil, "\(history.told)")
    #expect(history.outcomes.count == acts.count)
  }
}
