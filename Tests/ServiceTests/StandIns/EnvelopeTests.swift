import Audit
import Crypto
import Format
import Host
import KeyStore
import Operations
import Policy
import Sandbox
import Service
import ServiceHarness
import TestSupport
import Testing

/// Payment envelopes, from the token that they are made of to the records of their openings.
@Suite struct EnvelopeTests {
  private let start = TestService.start
  private let payment = TestPayment()
  private static let file = "/state/audit.recollection"

  /// What the acquirer's grant releases.
  private var ofAcquirer: EnvelopeScene.Outcome {
    .ok([
      "dpan": payment.pan, "expiry": payment.expiry, "cryptogram": payment.cryptogram,
      "eci": payment.eci ?? "", "signed": "1750000000",
    ])
  }

  @Test(
    "[OP-ENV-1] [OP-ENV-3] each service gets the fields of its own grant, and the shop none of them"
  )
  func fields() throws {
    let scene = try EnvelopeScene()
    let service = try scene.service()
    let sealed = try scene.seal(service)
    #expect(sealed.last4 == "4320")
    #expect(try scene.open(sealed, service) == ofAcquirer)
    // The books' grant releases last4, too; it was not sealed.
    #expect(
      try scene.open(sealed, service, by: EnvelopeScene.books)
        == .ok(["amount": "1499", "currency": "840", "signed": "1750000000"]))
    #expect(try scene.open(sealed, service, by: EnvelopeScene.shop) == .refused("denied"))
    #expect(try scene.open(sealed, service, by: EnvelopeScene.stranger) == .refused("denied"))
  }

  @Test(
    "[OP-ENV-3] [OP-OPEN-10] only what is asked for comes, and nothing if a required field does not"
  )
  func wishes() throws {
    let scene = try EnvelopeScene(once: true)
    let service = try scene.service()
    let sealed = try scene.seal(service)
    let dpan = ReleasedFields([.dpan])
    let last4 = ReleasedFields([.last4])
    // Not granted, not asked for, not sealed; and none of these opens it.
    #expect(
      try scene.open(sealed, service, required: ReleasedFields([.dpan, .amount]))
        == .refused("not-released amount"))
    #expect(
      try scene.open(sealed, service, required: ReleasedFields([.cardholderName]))
        == .refused("not-released cardholder-name"))
    #expect(
      try scene.open(sealed, service, release: ReleasedFields([.eci]), required: dpan)
        == .refused("not-released dpan"))
    #expect(
      try scene.open(sealed, service, by: EnvelopeScene.books, required: last4)
        == .refused("not-released last4"))
    #expect(try service.lastRecord()?.inputs.required == .last4)
    #expect(
      try scene.open(sealed, service, release: ReleasedFields([.dpan, .amount]), required: dpan)
        == .ok(["dpan": payment.pan, "signed": "1750000000"]))
    #expect(try service.lastRecord()?.released == ["dpan"])
    #expect(try scene.open(sealed, service) == .refused("envelope-used"))
  }

  @Test(
    "[OP-OPEN-10] [OP-ENV-1] a required field may come sealed, and a token that lacks it can be opened later"
  )
  func requiredSealed() throws {
    let scene = try EnvelopeScene()
    let service = try scene.service()
    func answer(_ token: MintedToken, _ required: ReleasedFields, release: ReleasedFields = [])
      throws -> String
    {
      let reply = try scene.scene.reply(
        to: scene.scene.request(token, release: release, required: required), service)
      guard reply.header.status == .rejected else { return reply.header.status.name }
      return try Rejection(MessageReader(reply.body.span)).releasedField?.name ?? ""
    }
    let token = try scene.scene.mint(signedAt: scene.clock.now)
    // Not in the token, not named for the envelope, and named for an envelope that is not asked
    // for.
    #expect(try answer(token, ReleasedFields([.dpan, .cardholderName])) == "cardholder-name")
    #expect(try service.lastRecord()?.inputs.sealed == [])
    #expect(try answer(token, ReleasedFields([.emvData])) == "emv-data")
    #expect(
      try answer(token, ReleasedFields([.cryptogram]), release: ReleasedFields([.last4]))
        == "cryptogram")
    #expect(try answer(token, ReleasedFields([.cryptogram, .dpan, .last4, .envelope])) == "ok")
  }

  @Test(
    "[OP-ENV-4] a changed envelope, another merchant's, transaction's or key's is rejected",
    arguments: [false, true])
  func bound(once: Bool) throws {
    let scene = try EnvelopeScene(once: once)
    let service = try scene.service()
    let sealed = try scene.seal(service)
    let other = try scene.seal(service)
    for place in stride(from: 0, to: sealed.bytes.count, by: 7) {
      var changed = sealed
      changed.bytes[place] ^= 0x81
      #expect(try scene.open(changed, service) == .refused("envelope"), "byte \(place)")
    }
    var onceMore = sealed
    onceMore.bytes[0] ^= 1
    #expect(try scene.open(onceMore, service) == .refused("envelope"))
    for bytes in [
      Array(sealed.bytes.dropLast()), sealed.bytes + [0], [1], Array(sealed.bytes.prefix(62)),
    ] {
      #expect(
        try scene.open(
          EnvelopeScene.Sealed(bytes: bytes, transaction: sealed.transaction, last4: ""), service)
          == .refused("envelope"))
    }
    #expect(
      try scene.open(
        EnvelopeScene.Sealed(bytes: sealed.bytes, transaction: other.transaction, last4: ""),
        service) == .refused("envelope"))
    #expect(
      try scene.open(sealed, service, merchant: "merchant.com.example.sandbax")
        == .refused("envelope"))
    #expect(try scene.open(sealed, service, merchant: "") == .refused("parameters"))
    #expect(try scene.open(sealed, service, key: "merchant/other") == .refused("envelope"))
    #expect(try scene.open(sealed, service, key: "merchant/none") == .refused("denied"))
    #expect(try scene.open(sealed, service) == ofAcquirer)
  }

  @Test(
    "[OP-ENV-4] it opens until it expires, by the daemon's clock",
    arguments: [(false, 3599, true), (true, 3599, true), (false, 3600, false), (true, 3600, false)]
      as [(Bool, Int64, Bool)])
  func expires(once: Bool, after: Int64, opens: Bool) throws {
    let scene = try EnvelopeScene(once: once)
    let service = try scene.service()
    let sealed = try scene.seal(service)
    scene.clock.now = start.adding(seconds: after)
    #expect(try scene.open(sealed, service) == (opens ? ofAcquirer : .refused("expired")))
  }

  @Test("[OP-ENV-5] one that opens once is refused to everybody afterwards, and others are not")
  func once() throws {
    let scene = try EnvelopeScene(once: true)
    let service = try scene.service()
    let sealed = try scene.seal(service)
    let other = try scene.seal(service)
    #expect(try scene.open(sealed, service, by: EnvelopeScene.shop) == .refused("denied"))
    #expect(try scene.open(sealed, service) == ofAcquirer)
    for uid in [EnvelopeScene.acquirer, EnvelopeScene.books, EnvelopeScene.acquirer] {
      #expect(try scene.open(sealed, service, by: uid) == .refused("envelope-used"))
    }
    scene.clock.now = start.adding(seconds: 3599)
    #expect(try scene.open(sealed, service) == .refused("envelope-used"))
    #expect(try scene.open(other, service) == ofAcquirer)
    let many = try EnvelopeScene()
    let free = try many.service()
    let again = try many.seal(free)
    for _ in 0..<3 { #expect(try many.open(again, free) == ofAcquirer) }
  }

  @Test(
    "[OP-ENV-5] [OP-OPEN-12] the envelopes of a token that was opened again are one: one of them opens, once",
    arguments: [false, true], [0, 1])
  func ofRepetition(restarts: Bool, opened: Int) throws {
    let scene = try EnvelopeScene(lifetime: 600, once: true)
    var service = try scene.service()
    let token = try scene.scene.mint(signedAt: start)
    let key = [UInt8](repeating: 7, count: 16)
    let first = try scene.seal(token, retryKey: key, service)
    scene.clock.now = start.adding(seconds: 100)
    let second = try scene.seal(token, retryKey: key, service)
    #expect(first.bytes != second.bytes)
    let envelopes = [first, second]
    #expect(try scene.open(envelopes[opened], service) == ofAcquirer)
    if restarts { service = try scene.service(on: service.disk.afterCrash(.losesUnsynced)) }
    for envelope in envelopes {
      #expect(try scene.open(envelope, service) == .refused("envelope-used"))
    }
    #expect(
      try scene.open(scene.seal(token, retryKey: key, service), service)
        == .refused("envelope-used"))
    // The second lasts no longer than the first, and so than it is remembered.
    scene.clock.now = start.adding(seconds: 599)
    for envelope in envelopes {
      #expect(try scene.open(envelope, service) == .refused("envelope-used"))
    }
    scene.clock.now = start.adding(seconds: 601)
    for envelope in envelopes { #expect(try scene.open(envelope, service) == .refused("expired")) }
  }

  @Test(
    "[OP-ENV-5] after a restart it is still used, whether the memory is read from its file or from the log",
    arguments: [false, true], [false, true])
  func restart(crashes: Bool, isForgotten: Bool) throws {
    let scene = try EnvelopeScene(once: true)
    let service = try scene.service()
    let sealed = try scene.seal(service)
    let other = try scene.seal(service)
    #expect(try scene.open(sealed, service) == ofAcquirer)
    if !crashes { #expect(service.service.stop()) }
    let disk = service.disk.afterCrash(.losesUnsynced)
    if isForgotten, disk.contents(Self.file) != nil { disk.unplant(Self.file) }
    scene.clock.now = start.adding(seconds: 1800)
    let again = try scene.service(on: disk)
    #expect(try scene.open(sealed, again) == .refused("envelope-used"))
    #expect(try scene.open(other, again) == ofAcquirer)
    // The file of the second run has the first run's openings, too.
    #expect(again.service.stop())
    let third = try scene.service(on: again.disk.afterCrash(.losesUnsynced))
    for used in [sealed, other] {
      #expect(try scene.open(used, third) == .refused("envelope-used"))
    }
  }

  @Test("[OP-ENV-5] what the log no longer covers is refused, and what was made since is not")
  func segmentGone() throws {
    let scene = try EnvelopeScene(once: true)
    let service = try scene.service(segmentSize: 4096)
    let sealed = try scene.seal(service)
    let unopened = try scene.seal(service)
    #expect(try scene.open(sealed, service) == ofAcquirer)
    func segments() throws -> [String] {
      try service.disk.list("/audit").filter { $0.hasSuffix(".log") }.sorted()
    }
    scene.clock.now = start.adding(seconds: 600)
    while try segments().count < 4 {
      #expect(try service.status(.random, body: ServiceTests.random) == .ok)
    }
    #expect(service.service.stop())
    for segment in try segments().dropLast(2) { service.disk.unplant("/audit/" + segment) }
    service.disk.unplant(Self.file)
    let again = try scene.service(on: service.disk.afterCrash(.keepsUnsynced))
    #expect(try again.operations().contains("records-unread"))
    for old in [sealed, unopened] {
      #expect(try scene.open(old, again) == .refused("envelope-used"))
    }
    scene.clock.now = start.adding(seconds: 600 + 301)
    let new = try scene.seal(again)
    #expect(try scene.open(new, again) != .refused("envelope-used"))
    #expect(try scene.open(new, again) == .refused("envelope-used"))
  }

  @Test(
    "[OP-ENV-5] a clock that goes back opens nothing again, and opens nothing from too far ahead")
  func clockBack() throws {
    let scene = try EnvelopeScene(once: true)
    let service = try scene.service()
    let near = try scene.seal(service)
    scene.clock.now = start.adding(seconds: 301)
    let ahead = try scene.seal(service)
    #expect(try scene.open(near, service) == ofAcquirer)
    scene.clock.now = start
    #expect(try scene.open(near, service) == .refused("envelope-used"))
    #expect(try scene.open(ahead, service) == .refused("expired"))
    scene.clock.now = start.adding(seconds: 1)
    #expect(try scene.open(ahead, service) != .refused("expired"))
    #expect(try scene.open(ahead, service) == .refused("envelope-used"))
  }

  @Test("[OP-ENV-5] a reload that makes envelopes open once, or last longer, holds at once")
  func reload() throws {
    let scene = try EnvelopeScene(lifetime: 60)
    let service = try scene.service()
    let free = try scene.seal(service)
    try scene.reload(service, lifetime: 86_400, once: true)
    let sealed = try scene.seal(service)
    for _ in 0..<2 { #expect(try scene.open(free, service) == ofAcquirer) }
    #expect(try scene.open(sealed, service) == ofAcquirer)
    for hour in [0, 1, 6, 12, 23] as [Int64] {
      scene.clock.now = start.adding(seconds: hour * 3600)
      #expect(try scene.open(sealed, service) == .refused("envelope-used"), "hour \(hour)")
    }
  }

  @Test("[OP-ENV-5] of several callers at once, one opens it")
  func atOnce() throws {
    let scene = try EnvelopeScene(once: true)
    let service = try scene.service()
    let sealed = try scene.seal(service)
    let ofAcquirer = self.ofAcquirer
    let outcomes = Locked<[EnvelopeScene.Outcome?]>([])
    let ended = (0..<8).map { _ in Handover<Void>() }
    for end in ended {
      let started = Thread.start {
        let outcome = try? scene.open(sealed, service)
        outcomes.withLock { $0.append(outcome) }
        end.give(())
      }
      try #require(started)
    }
    for end in ended { end.take() }
    let all = outcomes.withLock { $0 }
    #expect(
      all.count { $0 == ofAcquirer } == 1 && all.count { $0 == .refused("envelope-used") } == 7)
  }

  @Test("[OP-ENV-6] the records lead from sealing to opening, say what left, and hold none of it")
  func records() throws {
    let scene = try EnvelopeScene(once: true)
    let service = try scene.service()
    let sealed = try scene.seal(service)
    _ = try scene.open(sealed, service, by: EnvelopeScene.stranger)
    _ = try scene.open(sealed, service)
    _ = try scene.open(sealed, service)
    let records = try service.records().filter {
      [.openPaymentToken, .openEnvelope].contains($0.opcode)
    }
    try #require(records.count == 4)
    let sealing = records[0]
    let denied = records[1]
    let opening = records[2]
    let refusal = records[3]
    #expect(
      sealing.released == ["last4", "envelope"] && sealing.furtherKeys == [scene.scene.sealingKey()]
    )
    #expect(
      sealing.inputs.sealed
        == ReleasedFields([.dpan, .expiry, .currency, .amount, .cryptogram, .eci])
        && sealing.inputs.envelope == nil)
    #expect(denied.result == "denied" && denied.inputs == Inputs())
    #expect(
      opening.released == ["dpan", "expiry", "cryptogram", "eci"]
        && opening.key == scene.scene.sealingKey() && opening.inputs.sealed == [])
    #expect(
      opening.inputs.transaction != nil && opening.inputs.transaction == sealing.inputs.transaction)
    #expect(opening.inputs.pan != nil && opening.inputs.pan == sealing.inputs.pan)
    #expect(opening.inputs.envelope != nil && refusal.inputs.envelope == opening.inputs.envelope)
    #expect(refusal.stage == "envelope-used" && refusal.released == [])
    let written = try service.disk.list("/audit").map {
      String(decoding: service.disk.contents("/audit/" + $0) ?? [], as: UTF8.self)
    }.joined()
    for canary in [
      payment.pan, payment.cryptogram, Hex.encode(sealed.bytes), Hex.encode(sealed.transaction),
    ] { #expect(!written.contains(canary)) }
  }
}
