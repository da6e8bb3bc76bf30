import Testing

@testable import Audit

/// Whom a commit waits for.
@Suite struct ExpectedBatchesTests {
  @Test("a log with one caller never waits")
  func alone() {
    var expectedBatches = ExpectedBatches()
    #expect(expectedBatches.isComplete([1: 1]))
    for moment in 1...5 {
      expectedBatches.note(settled: [1: 1], waiting: [:], at: Int64(moment))
      #expect(expectedBatches.isComplete([1: 1]))
    }
  }

  @Test(
    "those of the last commit and those who waited meanwhile are waited for, all of them and nobody else"
  )
  func returning() {
    var expectedBatches = ExpectedBatches()
    expectedBatches.note(settled: [1: 3], waiting: [1: 5], at: 0)
    #expect(!expectedBatches.isComplete([1: 7]))
    #expect(expectedBatches.isComplete([1: 8]))
    expectedBatches.note(settled: [1: 8], waiting: [:], at: 1)
    #expect(!expectedBatches.isComplete([1: 7]))
    #expect(expectedBatches.isComplete([1: 8]))
  }

  @Test(
    "who stays away is waited for once and no longer than the patience, which counts from the commit"
  )
  func leaving() {
    var expectedBatches = ExpectedBatches()
    expectedBatches.note(settled: [1: 2], waiting: [:], at: 1_000)
    #expect(!expectedBatches.isComplete([1: 1]))
    #expect(expectedBatches.deadline == 1_000 + ExpectedBatches.patience)
    expectedBatches.note(settled: [1: 1], waiting: [:], at: 2_000)
    #expect(expectedBatches.isComplete([1: 1]))
  }

  @Test("nobody waits for another user's batches, nor the daemon for anybody's")
  func others() {
    var expectedBatches = ExpectedBatches()
    expectedBatches.note(settled: [1: 30], waiting: [2: 1], at: 0)
    #expect(expectedBatches.isComplete([2: 1]))
    #expect(expectedBatches.isComplete([1: 1, 2: 1]), "those who came are taken along")
    #expect(expectedBatches.isComplete([nil: 1]))
    #expect(!expectedBatches.isComplete([1: 1]))
    expectedBatches.note(settled: [1: 1, 2: 2], waiting: [1: 2], at: 1)
    #expect(!expectedBatches.isComplete([1: 2, 2: 1]))
    #expect(expectedBatches.isComplete([1: 2, 2: 2]))
  }
}
