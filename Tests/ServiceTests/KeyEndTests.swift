import Audit
import Format
import Host
import KeyStore
import Policy
import ServiceHarness
import TestSupport
import Testing

@testable import Service

/// A key that comes near its end is told of at its marks, once each, on the record.
@Suite struct KeyEndTests {
  private static let day: Int64 = 86_400
  private static let end = TestService.start.adding(seconds: 40 * day)

  private let test: TestService

  init() throws {
    test = try TestService(prepare: { store in
      for (name, end, activates) in [
        ("a", Self.end, true), ("b", nil, true),
        ("c", Self.end.adding(seconds: 100 * Self.day), true), ("d", Self.end, false),
      ] {
        let label = try #require(KeyLabel("acme/\(name)"))
        let request = KeyImport(
          label: label, role: .sealing, material: .symmetric(try SecretBuffer(count: 32)),
          activates: activates, notAfter: end)
        let id = try store.importKey(request, at: TestService.start, anchor: .beginning).id
        // What is used no more ends without a word.
        if name == "d" {
          try store.setState(.destroyed, of: id, at: TestService.start, anchor: .beginning)
        }
      }
    })
  }

  private func told() throws -> [String] {
    try test.records().filter { $0.operation == "key-ending" }.map { record in
      "\(record.label ?? "-") \(record.event.map { "\($0.name)=\($0.value)" }.joined())"
    }
  }

  /// What is told when so many days, and half of one, are left.
  private func told(_ days: Int64) throws -> Int {
    let before = try told().count
    test.clock.now = Self.end.adding(seconds: -days * Self.day - Self.day / 2)
    test.service.watchKeyEnds()
    return try told().count - before
  }

  @Test func eachMarkIsToldOnce() throws {
    try test.unlock()
    #expect(try told().isEmpty)
    let days: [(Int64, Int)] = [
      (39, 0), (30, 0), (29, 1), (28, 0), (15, 0), (14, 1), (13, 0), (7, 0), (6, 1), (0, 0),
      (-1, 1), (-2, 0),
    ]
    for (left, count) in days { #expect(try told(left) == count, "\(left) days") }
    #expect(try told().count == 4)
    #expect(try told().allSatisfy { $0.hasPrefix("acme/a days=") })
    #expect(try #require(try told().last).contains("-1"))
  }

  @Test("a clock that was ahead, even beyond the end, tells each mark again when it has come")
  func clockAhead() throws {
    try test.unlock()
    #expect(try told(-50) == 1)
    for (left, count) in [(39, 0), (29, 1), (14, 1), (29, 0), (13, 1), (12, 0)] as [(Int64, Int)] {
      #expect(try told(left) == count, "\(left) days")
    }
  }

  @Test func unlockingTellsAnew() throws {
    test.clock.now = Self.end.adding(seconds: -Self.day)
    try test.unlock()
    #expect(try told().count == 1)
    #expect(try test.operations().last == "key-ending")
  }

  @Test func aLockedStoreTellsNothing() throws {
    test.clock.now = Self.end
    test.service.watchKeyEnds()
    #expect(try test.operations().isEmpty)
  }
}
