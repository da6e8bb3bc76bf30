import Audit
import Crypto
import Dispatch
import Format
import KeyStore
import Operations
import Policy
import Service
import ServiceHarness
import TestSupport
import Testing

/// [OP-ENV-7] A request to open an envelope that is sent again after a lost reply.
@Suite struct EnvelopeRetryTests {
  private let start = TestService.start
  private static let file = "/state/audit.recollection"
  private static let key = [UInt8](repeating: 7, count: 16)
  private static let used = EnvelopeScene.Outcome.refused("envelope-used")

  /// The records of openings of envelopes that were answered `ok`.
  private func openings(_ service: TestService) throws -> [Record] {
    try service.records().filter { $0.opcode == .openEnvelope && $0.status == .ok }
  }

  private func isOpen(_ outcome: EnvelopeScene.Outcome) -> Bool {
    if case .ok = outcome { true } else { false }
  }

  @Test(
    "[OP-ENV-7] the same request opens again, with the same answer, and its record names the first",
    arguments: [true, false])
  func again(once: Bool) throws {
    let scene = try EnvelopeScene(once: once)
    let service = try scene.service()
    let sealed = try scene.seal(service)
    let first = try scene.open(sealed, service, retryKey: Self.key)
    scene.clock.now = start.adding(seconds: 120)
    #expect(try isOpen(first) && scene.open(sealed, service, retryKey: Self.key) == first)
    let records = try openings(service)
    try #require(records.count == 2)
    #expect(records[0].inputs.retry != nil && records[0].inputs.retryOf == nil)
    #expect(records[1].inputs.retry == nil && records[1].inputs.retryOf == records[0].sequence)
    #expect(
      records[0].inputs.envelope == records[1].inputs.envelope
        && records[0].inputs.pan == records[1].inputs.pan)
    #expect((records[0].inputs.envelope != nil) == once)
    let log = try service.disk.list("/audit")
      .map { String(decoding: service.disk.contents("/audit/" + $0) ?? [], as: UTF8.self) }.joined()
    #expect(!log.contains(Hex.encode(Self.key)))
  }

  @Test(
    "[OP-ENV-7] another request, retry key, user or grant, no retry key, or a switched off window: envelope-used"
  )
  func anythingElse() throws {
    let scene = try EnvelopeScene(once: true)
    let service = try scene.service()
    let sealed = try scene.seal(service)
    let dpan = ReleasedFields([.dpan])
    let first = try scene.open(sealed, service, retryKey: Self.key)
    #expect(isOpen(first))
    #expect(
      try scene.open(sealed, service, retryKey: [UInt8](repeating: 8, count: 16)) == Self.used)
    #expect(try scene.open(sealed, service) == Self.used)
    #expect(try scene.open(sealed, service, release: dpan, retryKey: Self.key) == Self.used)
    #expect(try scene.open(sealed, service, required: dpan, retryKey: Self.key) == Self.used)
    #expect(
      try scene.open(sealed, service, by: EnvelopeScene.books, retryKey: Self.key) == Self.used)
    #expect(
      try scene.open(sealed, service, by: EnvelopeScene.stranger, retryKey: Self.key)
        == .refused("denied"))
    #expect(
      try scene.open(sealed, service, merchant: "merchant.com.example.sandbax", retryKey: Self.key)
        == .refused("envelope"))
    #expect(
      try scene.open(sealed, service, key: "merchant/other", retryKey: Self.key)
        == .refused("envelope"))
    try scene.reload(service, acquirer: "another")
    #expect(try scene.open(sealed, service, retryKey: Self.key) == Self.used)
    try scene.reload(service, retryWindow: 0)
    #expect(try scene.open(sealed, service, retryKey: Self.key) == Self.used)
    try scene.reload(service)
    #expect(try scene.open(sealed, service, retryKey: Self.key) == first)
    #expect(try openings(service).count == 2)
  }

  @Test(
    "[OP-ENV-7] the same retry key for another envelope of the payment opens nothing, and for another payment that"
  )
  func otherEnvelope() throws {
    let scene = try EnvelopeScene(once: true)
    let service = try scene.service()
    let token = try scene.scene.mint(signedAt: start)
    let first = try scene.seal(token, retryKey: Self.key, service)
    let second = try scene.seal(token, retryKey: Self.key, service)
    #expect(first.bytes != second.bytes)
    #expect(isOpen(try scene.open(first, service, retryKey: Self.key)))
    #expect(try scene.open(second, service, retryKey: Self.key) == Self.used)
    #expect(isOpen(try scene.open(first, service, retryKey: Self.key)))
    #expect(isOpen(try scene.open(scene.seal(service), service, retryKey: Self.key)))
  }

  @Test("[OP-ENV-7] a request without a retry key is none, though its last bytes look like one")
  func imitation() throws {
    let scene = try EnvelopeScene(once: true)
    let service = try scene.service()
    var transaction = [UInt8](repeating: 1, count: 14)
    transaction += [6 << 3 | 2, 16] + Self.key
    let sealed = try scene.tokenised(for: transaction, service)
    #expect(isOpen(try scene.open(sealed, service)))
    #expect(try scene.open(sealed, service) == Self.used)
    #expect(try openings(service).map(\.inputs.retry) == [nil])
  }

  @Test(
    "[OP-ENV-7] the window is counted from the first opening, either way",
    arguments: [-121, -120, 120, 121] as [Int64], [false, true])
  func window(_ seconds: Int64, restarts: Bool) throws {
    let scene = try EnvelopeScene(once: true)
    var service = try scene.service()
    let sealed = try scene.seal(service)
    #expect(isOpen(try scene.open(sealed, service, retryKey: Self.key)))
    scene.clock.now = start.adding(seconds: seconds / 2)
    #expect(isOpen(try scene.open(sealed, service, retryKey: Self.key)))
    scene.clock.now = start.adding(seconds: seconds)
    if restarts { service = try scene.service(on: service.disk.afterCrash(.losesUnsynced)) }
    let found = try scene.open(sealed, service, retryKey: Self.key)
    #expect(abs(seconds) <= 120 ? isOpen(found) : found == Self.used)
  }

  @Test(
    "[OP-ENV-7] one that had not expired when it was opened first opens again when it has",
    arguments: [true, false])
  func expired(once: Bool) throws {
    let scene = try EnvelopeScene(lifetime: 60, once: once)
    var service = try scene.service()
    let sealed = try scene.seal(service)
    let other = try scene.seal(service)
    scene.clock.now = start.adding(seconds: 59)
    let first = try scene.open(sealed, service, retryKey: Self.key)
    for seconds in [60, 120, 179] as [Int64] {
      scene.clock.now = start.adding(seconds: seconds)
      #expect(try isOpen(first) && scene.open(sealed, service, retryKey: Self.key) == first)
      #expect(try scene.open(other, service, retryKey: Self.key) == .refused("expired"))
      service = try scene.service(on: service.disk.afterCrash(.losesUnsynced))
    }
    scene.clock.now = start.adding(seconds: 180)
    #expect(try scene.open(sealed, service, retryKey: Self.key) == .refused("expired"))
  }

  @Test(
    "[OP-ENV-7] after a kill or a stop, with and without the recollection, every opening can be repeated"
  )
  func restarts() throws {
    for (stops, isForgotten) in [(true, false), (true, true), (false, false)] {
      let scene = try EnvelopeScene(once: true)
      let first = try scene.service()
      let sealed = try scene.seal(first)
      let answer = try scene.open(sealed, first, retryKey: Self.key)
      if stops { #expect(first.service.stop()) }
      let disk = first.disk.afterCrash(.losesUnsynced)
      if isForgotten { disk.unplant(Self.file) }
      let again = try scene.service(on: disk)
      #expect(try isOpen(answer) && scene.open(sealed, again, retryKey: Self.key) == answer)
      let records = try openings(again)
      #expect(records.count == 2 && records[1].inputs.retryOf == records[0].sequence)
      let third = try scene.service(on: again.disk.afterCrash(.losesUnsynced))
      #expect(try scene.open(sealed, third, retryKey: Self.key) == answer)
      #expect(try openings(third).last?.inputs.retryOf == records[0].sequence)
      #expect(try scene.open(sealed, third) == Self.used)
    }
  }

  @Test(
    "[OP-ENV-7] [OP-OPEN-12] the rate counts a repetition, the quota and the key's uses do not, before and after a restart"
  )
  func limits() throws {
    let scene = try EnvelopeScene(once: true, rate: "3/s", quota: "2/d")
    var service = try scene.service()
    let sealed = try (0..<3).map { _ in try scene.seal(service) }
    #expect(isOpen(try scene.open(sealed[0], service, retryKey: Self.key)))
    #expect(isOpen(try scene.open(sealed[0], service, retryKey: Self.key)))
    #expect(isOpen(try scene.open(sealed[1], service, retryKey: Self.key)))
    #expect(try scene.open(sealed[1], service, retryKey: Self.key) == .refused("busy"))
    #expect(try service.lastRecord()?.policy?.denial == "rate")
    scene.clock.now = start.adding(seconds: 2)
    #expect(try scene.open(sealed[2], service, retryKey: Self.key) == .refused("busy"))
    #expect(try service.lastRecord()?.policy?.denial == "quota")
    #expect(isOpen(try scene.open(sealed[1], service, retryKey: Self.key)))
    let uses = try scene.uses(service)
    service = try scene.service(on: service.disk.afterCrash(.losesUnsynced))
    #expect(isOpen(try scene.open(sealed[1], service, retryKey: Self.key)))
    #expect(try scene.open(sealed[2], service, retryKey: Self.key) == .refused("busy"))
    // Three were sealed, two opened.
    #expect(try scene.uses(service) == uses && uses == 5)
  }

  @Test(
    "[OP-ENV-7] policy decides anew: a grant that was withdrawn refuses, and a field that is no longer granted stays inside"
  )
  func policyOfNow() throws {
    let scene = try EnvelopeScene(once: true)
    let service = try scene.service()
    let sealed = try scene.seal(service)
    let dpan = ReleasedFields([.dpan])
    #expect(isOpen(try scene.open(sealed, service, required: dpan, retryKey: Self.key)))
    try scene.reload(service, acquirer: nil)
    #expect(
      try scene.open(sealed, service, required: dpan, retryKey: Self.key) == .refused("denied"))
    try scene.reload(service, ofAcquirer: ReleasedFields([.eci]))
    #expect(
      try scene.open(sealed, service, required: dpan, retryKey: Self.key)
        == .refused("not-released dpan"))
    #expect(try service.lastRecord()?.inputs.retryOf != nil)
    try scene.reload(service)
    #expect(try scene.open(sealed, service) == Self.used)
    #expect(isOpen(try scene.open(sealed, service, required: dpan, retryKey: Self.key)))
  }

  // MARK: two at once

  @Test("[OP-ENV-7] two in one batch: one opens, the other is busy, and may be repeated afterwards")
  func inOneBatch() throws {
    let scene = try EnvelopeScene(once: true)
    let service = try scene.service()
    let sealed = try scene.seal(service)
    let caller = Caller(uid: EnvelopeScene.acquirer, gid: EnvelopeScene.acquirer, pid: 1)
    var exchange = try service.service.exchange(with: caller, on: .services)
    let frame = TestService.frame(
      .openEnvelope, key: scene.scene.sealingKey(),
      body: try EnvelopeScene.request(sealed, retryKey: Self.key))
    for _ in 0..<3 { try exchange.serve(frame.span) }
    #expect(try scene.open(sealed, service, retryKey: Self.key) == .refused("busy"))
    _ = exchange.replies()
    #expect(
      try service.records().filter { $0.opcode == .openEnvelope }.map(\.status) == [
        .busy, .ok, .busy, .busy,
      ])
    #expect(isOpen(try scene.open(sealed, service, retryKey: Self.key)))
    #expect(try openings(service).count { $0.inputs.retryOf == nil } == 1)
  }

  @Test("[OP-ENV-7] many at once: one opens first, and everyone else is busy or a repetition of it")
  func manyAtOnce() throws {
    let scene = try EnvelopeScene(once: true)
    let service = try scene.service()
    let sealed = try scene.seal(service)
    let all = Locked<[EnvelopeScene.Outcome]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      let found = (0..<20).map { _ in
        (try? scene.open(sealed, service, retryKey: Self.key)) ?? .refused("thrown")
      }
      all.withLock { $0 += found }
    }
    let outcomes = all.withLock { $0 }
    #expect(
      outcomes.allSatisfy { isOpen($0) || $0 == .refused("busy") }
        && outcomes.contains { isOpen($0) })
    let records = try openings(service)
    #expect(records.count == outcomes.count { isOpen($0) })
    let first = try #require(records.first)
    #expect(
      first.inputs.retryOf == nil
        && records.dropFirst().allSatisfy { $0.inputs.retryOf == first.sequence })
  }

  // MARK: what never opened

  @Test(
    "[OP-ENV-7] an opening that fails is none: the same request fails again, and another may open the envelope"
  )
  func failedFirst() throws {
    let scene = try EnvelopeScene(once: true)
    let service = try scene.service()
    let sealed = try scene.seal(service)
    let lacking = ReleasedFields([.amount])
    for _ in 0..<2 {
      #expect(
        try scene.open(sealed, service, required: lacking, retryKey: Self.key)
          == .refused("not-released amount"))
    }
    #expect(isOpen(try scene.open(sealed, service, retryKey: Self.key)))
    #expect(try openings(service).map(\.inputs.retryOf) == [nil])
  }

  @Test(
    "[OP-ENV-7] a disk that is full when the record is due: the envelope counts as unopened for whoever has a retry key"
  )
  func fullDisk() throws {
    let scene = try EnvelopeScene(once: true)
    let service = try scene.service(segmentSize: 1 << 16)
    let sealed = try (0..<200).map { _ in try scene.seal(service) }
    service.disk.fill(to: service.disk.usedBytes)
    let outcomes = try sealed.map { try scene.open($0, service, retryKey: Self.key) }
    let refused = try #require(outcomes.firstIndex(of: .refused("audit-unavailable")))
    service.disk.fill(to: nil)
    #expect(isOpen(try scene.open(sealed[refused], service, retryKey: Self.key)))
    #expect(try openings(service).last?.inputs.retryOf == nil)
    #expect(isOpen(try scene.open(sealed[refused], service, retryKey: Self.key)))
    #expect(try scene.open(sealed[refused], service) == Self.used)
  }
}
