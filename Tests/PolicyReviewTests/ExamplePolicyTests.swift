import Configuration
import Foundation
import Policy
import Review
import Testing

@Suite("The example policy")
struct ExamplePolicyTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../packaging/example").standardizedFileURL
  private static let accounts = Accounts(
    uid: {
      [
        "acme-gateway": 1001, "acme-orders": 1002, "alice": 1003, "bob": 1004, "carol": 1005,
        "dave": 1006, "erin": 1007, "frank": 1008, "grace": 1009,
        "heidi": 1010, "kist-metrics": 1011, "root": 0,
      ][$0]
    },
    gid: {
      [
        "kist-clients": 2001, "kist-operators": 2002, "kist-custodians": 2003,
        "kist-approvers": 2004, "kist-auditors": 2005, "kist-metrics": 2006,
      ][$0]
    })

  private func text(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: Self.folder.appendingPathComponent(name)))
  }

  @Test(
    "limits every grant, and so does each service's",
    arguments: ["packaging/example/policy.d", "services/policy"])
  func rates(_ folder: String) throws {
    let place = Self.folder.appendingPathComponent("../../" + folder).standardizedFileURL
    let names = try FileManager.default.contentsOfDirectory(atPath: place.path).filter {
      $0.hasSuffix(".toml")
    }
    #expect(names.count > 1)
    let sources = try names.map { name in
      PolicyDirectory.Source(
        file: name, text: Array(try Data(contentsOf: place.appendingPathComponent(name))))
    }
    let policy = try PolicyDirectory.locate(sources, accounts: .anyName()).policy
    #expect(policy.rules.filter { $0.rate == nil }.map(\.id) == [])
  }

  @Test("does what its own cases say, and nothing in it is without effect")
  func cases() throws {
    let sources = try ["10-roles.toml", "20-example.toml"].map {
      PolicyDirectory.Source(file: $0, text: try text("policy.d/" + $0))
    }
    let policy = try PolicyDirectory.locate(sources, accounts: Self.accounts).policy
    let cases = try PolicyCase.decode(
      try text("policy-cases.toml"), file: "policy-cases.toml", accounts: Self.accounts,
      now: Universe.friday)
    #expect(cases.count == 14)
    for test in cases { #expect(test.complaint(about: policy) == nil, "\(test.name)") }
    #expect(GrantFinding.all(in: policy, around: Universe.friday).isEmpty)
  }
}
