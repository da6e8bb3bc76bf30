import Audit
import Format
import Policy
import KeyStore
import KistClient
import Operations
import ServiceHarness
import TestSupport
import Testing

@testable import Service

/// What a request changes in the key store reaches the log, even if the log does not take the
/// request's own record. [KS-UNRECORDED]
@Suite struct UnrecordedChangeTests {
  private static let label = "merchant/acme/mac"

  private static func generation() throws -> [UInt8] {
    let request = GenerateKeyRequest(label: label, role: "mac-cmac")
    return TestService.frame(
      .generateKey, body: try written(atMost: 1024) { try request.encode(into: &$0) })
  }

  /// The records of keys' changes, each with who asked for it if it was told late.
  private static func changes(_ test: TestService) throws -> [String] {
    try test.records().filter { $0.operation.hasPrefix("key-") && $0.key != nil }.map { record in
      record.operation + (record.eventNumber("asked").map { " asked by \($0)" } ?? "")
    }
  }

  /// The service of the next day, on what this one's process left.
  private static func next(_ test: TestService, _ crash: SimulatedDisk.Crash = .keepsUnsynced)
    throws -> TestService
  {
    let next = try TestService(on: test.disk.afterCrash(crash))
    try next.unlock()
    return next
  }

  @Test(
    "a change whose record came after a lock is recorded at the next unlocking, once, with who asked for it"
  )
  func locked() throws {
    let test = try TestService()
    try test.unlock()
    var exchange = try test.service.exchange(with: TestService.caller, on: .operators)
    let frame = try Self.generation()
    try exchange.serve(frame.span)
    #expect(try test.status(.lock, on: .operators) == .ok)
    #expect(try TestService.reply(exchange.replies()).header.status == .locked)
    #expect(try Self.changes(test).isEmpty)
    try test.unlock()
    #expect(try Self.changes(test) == ["key-generated asked by 1000"])
    let again = try Self.next(test)
    #expect(try Self.changes(again) == ["key-generated asked by 1000"])
    try again.reopenedStore {
      #expect($0.unrecorded.isEmpty && $0.records.contains { $0.label.text == Self.label })
    }
  }

  @Test(
    "what opens or closes the key store has a batch of its own, so that nothing is answered after it that began before"
  )
  func batches() throws {
    let test = try TestService()
    try test.unlock()
    func header(_ opcode: Opcode) -> RequestHeader {
      RequestHeader(opcode: opcode.rawValue, requestID: 7, key: .none)
    }
    var exchange = try test.service.exchange(with: TestService.caller, on: .operators)
    let isTaken = exchange.takes(header(.lock)) && exchange.takes(header(.generateKey))
    #expect(isTaken)
    let frame = try Self.generation()
    try exchange.serve(frame.span)
    let after = [Opcode.generateKey, .lock, .unlock, .submitShare].map {
      exchange.takes(header($0))
    }
    #expect(after == [true, false, false, false])
    #expect(try TestService.reply(exchange.replies()).header.status == .ok)
    var locking = try test.service.exchange(with: TestService.caller, on: .operators)
    let lock = TestService.frame(.lock)
    try locking.serve(lock.span)
    let behind = [Opcode.generateKey, .ping, .lock].map { locking.takes(header($0)) }
    #expect(behind == [false, false, false])
    _ = locking.replies()
  }

  @Test("once the store is locked, a request that is still under way changes nothing")
  func closed() throws {
    let test = try TestService()
    try test.unlock()
    var exchange = try test.service.exchange(with: TestService.caller, on: .operators)
    #expect(try test.status(.lock, on: .operators) == .ok)
    let frame = try Self.generation()
    try exchange.serve(frame.span)
    #expect(try TestService.reply(exchange.replies()).header.status == .locked)
    try test.reopenedStore {
      #expect(!$0.records.contains { $0.label.text == Self.label } && $0.unrecorded.isEmpty)
    }
  }

  /// A rename is seen although the directory's sync failed. Told before it is durable, it would
  /// make the store older than its log after a crash.
  @Test(
    "a change is recorded late only once it is durable, wherever the disk fails then and at the unlocking",
    arguments: 3...5)
  func seenAndNotDurable(first: Int) throws {
    for second in 0..<20 {
      let test = try TestService()
      try test.unlock()
      let key = try test.generateKey(Self.label)
      test.disk.fail(call: test.disk.changingCalls + first, .notDone, errno: 28)
      _ = try test.call(.retireKey, key: key, on: .operators)
      _ = try test.status(.lock, on: .operators)
      test.disk.fail(call: test.disk.changingCalls + second, .notDone, errno: 28)
      try? test.unlock()
      let next = try Self.next(test, .losesUnsynced)
      let isRetired = try Self.changes(next).contains { $0.hasPrefix("key-retired") }
      #expect(
        try next.reopenedStore { $0.record(for: key)?.state } == (isRetired ? .retired : .active),
        "\(second)")
    }
  }

  @Test("a change that a full disk kept from the log is recorded as soon as there is room, once")
  func full() throws {
    let test = try TestService(segmentSize: 1 << 14)
    try test.unlock()
    let key = try test.generateKey(Self.label)
    test.disk.fill(to: test.disk.usedBytes + 12 << 10)
    var calls: [Opcode] = []
    while calls.count < 100 {
      let opcode: Opcode = calls.count.isMultiple(of: 2) ? .suspendKey : .resumeKey
      calls.append(opcode)
      let status = try test.call(opcode, key: key, on: .operators).header.status
      guard status != .auditUnavailable else { break }
      try #require(status == .ok)
    }
    try #require((2..<100).contains(calls.count))
    let name = { (opcode: Opcode) in opcode == .suspendKey ? "key-suspended" : "key-resumed" }
    #expect(try Self.changes(test) == ["key-generated"] + calls.dropLast().map(name))
    test.disk.fill(to: nil)
    #expect(try test.status(.ready) == .ok)
    let told =
      ["key-generated"] + calls.dropLast().map(name)
      + calls.suffix(1).map { name($0) + " asked by 1000" }
    #expect(try Self.changes(test) == told)
    #expect(try Self.changes(Self.next(test)) == told)
  }

  @Test(
    "wherever a crash falls, a change that was made is recorded once, and one that was not never")
  func crashes() throws {
    let test = try TestService()
    try test.unlock()
    let key = try test.generateKey(Self.label)
    let start = test.disk.afterCrash(.keepsUnsynced)
    try FaultMatrix(from: start).run(every: 3) { disk in
      guard let service = try? TestService(on: disk), (try? service.unlock()) != nil else {
        return false
      }
      for opcode in [Opcode.suspendKey, .resumeKey, .retireKey] {
        guard try service.call(opcode, key: key, on: .operators).header.status == .ok else {
          return false
        }
      }
      return true
    } _: { disk, _, point in
      let after = try TestService(on: disk)
      try after.unlock()
      let events = try Self.changes(after).map { String($0.prefix { $0 != " " }) }
      let state = try after.reopenedStore { try #require($0.record(for: key)).state }
      let all = ["key-generated", "key-suspended", "key-resumed", "key-retired"]
      #expect(events == Array(all.prefix(events.count)), "\(point)")
      let expected: [String: KeyState] = [
        "key-generated": .active, "key-suspended": .suspended, "key-resumed": .active,
        "key-retired": .retired,
      ]
      #expect(state == events.last.flatMap { expected[$0] }, "\(point)")
      try after.reopenedStore { #expect($0.unrecorded.isEmpty, "\(point)") }
    }
  }
}
