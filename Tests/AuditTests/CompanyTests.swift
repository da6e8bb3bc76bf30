import Testing

@testable import Audit

/// Whom a commit waits for.
@Suite struct CompanyTests {
  @Test("a log with one caller never waits")
  func alone() {
    var company = Company()
    #expect(company.isComplete(1))
    for moment in 1...5 {
      company.note(settled: 1, waiting: 0, at: Int64(moment))
      #expect(company.isComplete(1))
    }
  }

  @Test("those of the last commit and those who waited meanwhile are waited for, all of them and nobody else")
  func returning() {
    var company = Company()
    company.note(settled: 3, waiting: 5, at: 0)
    #expect(!company.isComplete(7))
    #expect(company.isComplete(8))
    company.note(settled: 8, waiting: 0, at: 1)
    #expect(!company.isComplete(7))
    #expect(company.isComplete(8))
  }

  @Test("who stays away is waited for once and no longer than the patience, which counts from the commit")
  func leaving() {
    var company = Company()
    company.note(settled: 2, waiting: 0, at: 1_000)
    #expect(!company.isComplete(1))
    #expect(company.deadline == 1_000 + Company.patience)
    company.note(settled: 1, waiting: 0, at: 2_000)
    #expect(company.isComplete(1))
  }
}
