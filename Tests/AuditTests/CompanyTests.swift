import Testing

@testable import Audit

/// Whom a commit waits for.
@Suite struct CompanyTests {
  @Test("a log with one caller never waits")
  func alone() {
    var company = Company()
    #expect(company.isComplete([1: 1]))
    for moment in 1...5 {
      company.note(settled: [1: 1], waiting: [:], at: Int64(moment))
      #expect(company.isComplete([1: 1]))
    }
  }

  @Test("those of the last commit and those who waited meanwhile are waited for, all of them and nobody else")
  func returning() {
    var company = Company()
    company.note(settled: [1: 3], waiting: [1: 5], at: 0)
    #expect(!company.isComplete([1: 7]))
    #expect(company.isComplete([1: 8]))
    company.note(settled: [1: 8], waiting: [:], at: 1)
    #expect(!company.isComplete([1: 7]))
    #expect(company.isComplete([1: 8]))
  }

  @Test("who stays away is waited for once and no longer than the patience, which counts from the commit")
  func leaving() {
    var company = Company()
    company.note(settled: [1: 2], waiting: [:], at: 1_000)
    #expect(!company.isComplete([1: 1]))
    #expect(company.deadline == 1_000 + Company.patience)
    company.note(settled: [1: 1], waiting: [:], at: 2_000)
    #expect(company.isComplete([1: 1]))
  }

  @Test("nobody waits for another user's batches, nor the daemon for anybody's")
  func others() {
    var company = Company()
    company.note(settled: [1: 30], waiting: [2: 1], at: 0)
    #expect(company.isComplete([2: 1]))
    #expect(company.isComplete([1: 1, 2: 1]), "those who came are taken along")
    #expect(company.isComplete([nil: 1]))
    #expect(!company.isComplete([1: 1]))
    company.note(settled: [1: 1, 2: 2], waiting: [1: 2], at: 1)
    #expect(!company.isComplete([1: 2, 2: 1]))
    #expect(company.isComplete([1: 2, 2: 2]))
  }
}
