import Audit
import Crypto
import Format
import KeyStore
import Operations
import Policy
import Sandbox
import Service
import ServiceHarness
import TestSupport
import Testing

/// Two hosts open tokens of one merchant, each token once between them.
@Suite struct FleetOpeningTests {
  private let scene: FleetScene
  private let start = TestService.start

  init() throws { scene = try FleetScene() }

  @Test(
    "[FLEET-F1] a token opens on one host, and on no other afterwards", arguments: [false, true])
  func once(isRepeatable: Bool) throws {
    let paris = try scene.host("paris")
    let rome = try scene.host("rome")
    let token = try scene.tokens.mint(signedAt: start)
    let request = try scene.tokens.request(token, retryKey: isRepeatable ? FleetScene.retryKey : [])
    #expect(try scene.open(request, rome) == "ok")
    for other in [
      try scene.tokens.request(token),
      try scene.tokens.request(token, amount: 1499, retryKey: FleetScene.retryKey),
      try scene.tokens.request(token, retryKey: [UInt8](repeating: 8, count: 16)),
    ] {
      for host in [paris, rome] { #expect(try scene.open(other, host) == "replay") }
    }
    #expect(try paris.openings().isEmpty && rome.openings().count == 1)
    #expect(Array(scene.store.holders.values) == ["rome"])
  }

  @Test(
    "[FLEET-F1] another token opens anywhere, and its record has its claim, which is in the store")
  func others() throws {
    let paris = try scene.host("paris")
    let rome = try scene.host("rome")
    for (index, host) in [paris, rome, paris].enumerated() {
      let request = try scene.request()
      #expect(try scene.open(request, host) == "ok", "\(index)")
    }
    let claims = try (paris.openings() + rome.openings()).compactMap(\.inputs.claim)
    #expect(
      Set(claims.map(\.bytes)) == Set(scene.store.holders.keys.map(\.bytes)) && claims.count == 3)
    #expect(
      try paris.openings().allSatisfy { $0.inputs.retryHost == nil && $0.inputs.local == nil })
  }

  @Test(
    "[FLEET-SOCK-1] the tokens of a read batch are claimed together, and one that stands there twice once"
  ) func batch() throws {
    let paris = try scene.host("paris")
    let bodies = [try scene.request(), try scene.request(retryKey: FleetScene.retryKey)]
    let frames = try (bodies + [bodies[0]]).map {
      TestService.frame(.openPaymentToken, key: try scene.tokens.key(), body: $0)
    }
    var exchange = try paris.service.service.exchange(with: TestService.caller, on: .services)
    for frame in frames { try exchange.look(frame) }
    exchange.claim()
    for frame in frames {
      let span = frame.span
      try exchange.serve(span)
    }
    _ = exchange.replies()
    #expect(
      try paris.service.records().filter { $0.opcode == .openPaymentToken }.map(\.status) == [
        .ok, .ok, .rejected,
      ])
    #expect(scene.store.asked.map(\.count) == [2])
  }

  @Test("while the store is asked, and then alone, the connection's place is given up") func place()
    throws
  {
    let paris = try scene.host("paris")
    let asked = Locked<[Int]>([])
    let store = scene.store
    var exchange = try paris.service.service.exchange(
      with: TestService.caller, on: .services,
      waiting: { wait in
        asked.withLock { $0.append(store.asked.count) }
        wait()
        asked.withLock { $0.append(store.asked.count) }
      })
    let frame = TestService.frame(
      .openPaymentToken, key: try scene.tokens.key(), body: try scene.request())
    try exchange.look(frame)
    #expect(asked.withLock { $0 }.isEmpty)
    exchange.claim()
    let span = frame.span
    try exchange.serve(span)
    _ = exchange.replies()
    #expect(asked.withLock { $0 } == [0, 1] && store.asked.count == 1)
  }

  @Test(
    "[FLEET-F2] the same request opens again on another host, with the same answer; the record names the first host"
  ) func again() throws {
    let paris = try scene.host("paris")
    let rome = try scene.host("rome", grant: FleetScene.grant(quota: "2/d"))
    let request = try scene.request(retryKey: FleetScene.retryKey)
    let first = try scene.tokens.reply(to: request, paris.service)
    scene.tokens.clock.now = start.adding(seconds: 120)
    let second = try scene.tokens.reply(to: request, rome.service)
    let third = try scene.tokens.reply(to: request, rome.service)
    #expect(
      first.header.status == .ok && second.header.status == .ok && first.body == second.body
        && third.body == first.body && !first.body.isEmpty)
    let here = try #require(paris.openings().first)
    let there = try rome.openings()
    #expect(
      here.inputs.retryHost == nil && there.map(\.inputs.retryHost) == ["paris", nil]
        && there.map(\.inputs.claim) == [here.inputs.claim, nil]
        && there.map(\.inputs.retryOf) == [nil, there[0].sequence])
    // The first repetition on a host takes of its quota, and is a use of its key; further ones are
    // not.
    #expect(try scene.open(scene.request(), rome) == "ok")
    #expect(try scene.open(request, paris) == "ok")
    scene.tokens.clock.now = start.adding(seconds: 121)
    for host in [paris, try scene.host("athens")] {
      #expect(try scene.open(request, host) == "replay")
    }
    #expect(
      try scene.open(request, rome) == "busy", "what is no repetition any more takes of the quota")
  }

  @Test(
    "[FLEET-SOCK-4] a store that says of every request that another host was first has no token opened twice here, nor a quota voided",
    arguments: [1, 100])
  func lyingStore(quota: Int) throws {
    let fleet = Fleet(
      host: "rome", key: try #require(KeyLabel("fleet/claims")), store: LyingClaims())
    let grant = try FleetScene.grant(quota: "\(quota)/d")
    var host = try scene.host("rome", grant: grant, fleet: fleet)
    let token = try scene.tokens.mint(signedAt: start)
    func request(_ byte: UInt8) throws -> [UInt8] {
      try scene.tokens.request(token, retryKey: [UInt8](repeating: byte, count: 16))
    }
    #expect(try scene.open(request(1), host) == "ok")
    #expect(try host.openings().map(\.inputs.retryHost) == ["evil"])
    let afterwards = quota == 1 ? "busy" : "replay"
    for byte in 2...9 as ClosedRange<UInt8> {
      #expect(try scene.open(request(byte), host) == afterwards)
    }
    #expect(
      try scene.open(request(1), host) == "ok",
      "the same request is a repetition, as on a host alone")
    for stops in [true, false] {
      if stops { #expect(host.service.service.stop()) }
      host = try scene.host("rome", on: host.afterCrash(), grant: grant, fleet: fleet)
      for byte in 2...9 as ClosedRange<UInt8> {
        #expect(try scene.open(request(byte), host) == afterwards)
      }
      #expect(try scene.open(request(1), host) == "ok")
    }
  }

  @Test(
    "[FLEET-SOCK-4] [FLEET-CLAIM-8] a quota counts a request once on each host, wherever it came first",
    arguments: [false, true])
  func lyingStoreAndQuota(restarts: Bool) throws {
    let fleet = Fleet(
      host: "rome", key: try #require(KeyLabel("fleet/claims")), store: LyingClaims())
    let grant = try FleetScene.grant(quota: "3/d")
    var host = try scene.host("rome", grant: grant, fleet: fleet)
    for number in 0..<3 {
      let request = try scene.request(retryKey: FleetScene.retryKey)
      #expect(
        try scene.open(request, host) == "ok" && scene.open(request, host) == "ok", "\(number)")
      if restarts {
        host = try scene.host("rome", on: host.afterCrash(), grant: grant, fleet: fleet)
      }
    }
    for _ in 0..<8 {
      #expect(try scene.open(scene.request(retryKey: FleetScene.retryKey), host) == "busy")
    }
  }

  @Test(
    "[FLEET-F2] a host that has long opened tokens opens what another opened, as late as the window lets it"
  ) func lateRepetition() throws {
    let paris = try scene.host("paris")
    let rome = try scene.host("rome")
    for minute in 0...30 as ClosedRange<Int64> {
      scene.tokens.clock.now = start.adding(seconds: minute * 60)
      #expect(try scene.open(scene.tokens.request(signedAt: scene.tokens.clock.now), rome) == "ok")
    }
    let signed = scene.tokens.clock.now
    let request = try scene.tokens.request(signedAt: signed, retryKey: FleetScene.retryKey)
    for step in stride(from: 0 as Int64, through: 300, by: 30) {
      scene.tokens.clock.now = signed.adding(seconds: step)
      #expect(try scene.open(scene.tokens.request(signedAt: scene.tokens.clock.now), rome) == "ok")
    }
    #expect(try scene.open(request, paris) == "ok")
    for step in stride(from: 310 as Int64, through: 420, by: 10) {
      scene.tokens.clock.now = signed.adding(seconds: step)
      #expect(try scene.open(scene.tokens.request(signedAt: scene.tokens.clock.now), rome) == "ok")
    }
    #expect(try scene.open(request, rome) == "ok")
  }

  @Test("[FLEET-F2] under another grant, or by another user, it is a replay") func notTheSame()
    throws
  {
    let paris = try scene.host("paris")
    let rome = try scene.host("rome", grant: FleetScene.grant("others"))
    let request = try scene.request(retryKey: FleetScene.retryKey)
    #expect(try scene.open(request, paris) == "ok")
    #expect(try scene.open(request, rome) == "replay")
    let named = Caller(uid: TestService.caller.uid, gid: 1000, pid: 1, name: "shop")
    let third = try scene.host("athens")
    #expect(
      try third.service.call(.openPaymentToken, key: scene.tokens.key(), body: request, from: named)
        .header.status == .rejected)
    #expect(try scene.open(request, third) == "ok")
  }

  @Test("[FLEET-F2] [OP-OPEN-12] freshness is judged by the first opening, on whatever host")
  func stale() throws {
    let paris = try scene.host("paris")
    let rome = try scene.host("rome")
    let request = try scene.request(retryKey: FleetScene.retryKey)
    let late = try scene.request(retryKey: FleetScene.retryKey)
    scene.tokens.clock.now = start.adding(seconds: 300)
    #expect(try scene.open(request, paris) == "ok")
    scene.tokens.clock.now = start.adding(seconds: 420)
    #expect(try scene.open(request, rome) == "ok")
    #expect(
      try scene.open(late, rome) == "signing-time", "a first opening is judged by its own time")
    scene.tokens.clock.now = start.adding(seconds: 421)
    #expect(try scene.open(request, rome) == "signing-time")
  }

  @Test("[FLEET-F5] a failed opening keeps its claim: it may be tried again on its host alone")
  func failed() throws {
    let paris = try scene.host("paris")
    let rome = try scene.host("rome")
    let token = try scene.tokens.mint(signedAt: start)
    #expect(try scene.open(scene.tokens.request(token, amount: 1), paris) == "expectation")
    #expect(try scene.open(scene.tokens.request(token), rome) == "replay")
    #expect(try scene.open(scene.tokens.request(token), paris) == "ok")
  }

  @Test(
    "[FLEET-F5] after a crash between claim and opening, each host opens what it may repeat, and nothing else",
    arguments: [false, true])
  func crashed(isRepeatable: Bool) throws {
    let paris = try scene.host("paris")
    let rome = try scene.host("rome")
    let request = try scene.request(retryKey: isRepeatable ? FleetScene.retryKey : [])
    var exchange = try paris.service.service.exchange(with: TestService.caller, on: .services)
    try exchange.look(TestService.frame(.openPaymentToken, key: scene.tokens.key(), body: request))
    exchange.claim()
    _ = exchange.replies()
    #expect(Array(scene.store.holders.values) == ["paris"])
    #expect(try scene.open(request, rome) == (isRepeatable ? "ok" : "replay"))
    #expect(
      try scene.open(request, scene.host("paris", on: paris.afterCrash()))
        == (isRepeatable ? "ok" : "replay"))
  }

  @Test(
    "[FLEET-F5] [FLEET-SOCK-2] a claim whose answer was lost stays its host's, and nothing was opened by then"
  ) func lostAnswer() throws {
    let paris = try scene.host("paris")
    let rome = try scene.host("rome")
    let request = try scene.request()
    scene.store.losesAnswers = true
    #expect(try scene.open(request, paris) == "busy")
    scene.store.losesAnswers = false
    #expect(try scene.open(request, rome) == "replay")
    #expect(try scene.open(request, paris) == "ok")
  }

  @Test("[FLEET-F4] the store learns neither transaction nor key") func secrecy() throws {
    let paris = try scene.host("paris")
    let token = try scene.tokens.mint(signedAt: start)
    #expect(
      try scene.open(scene.tokens.request(token, retryKey: FleetScene.retryKey), paris) == "ok")
    let learned = Hex.encode(scene.store.bytes)
    #expect(learned.contains(Hex.encode(Array("paris".utf8))))
    for secret in [
      token.transactionID, token.publicKeyHash, FleetScene.retryKey,
      SHA256.hash(token.transactionID).bytes,
    ] {
      #expect(!learned.contains(Hex.encode(secret)))
    }
  }

  @Test(
    "[FLEET-CLAIM-5] what is not found good is not claimed, nor what this host knows to be opened")
  func unfounded() throws {
    let paris = try scene.host("paris")
    let request = try scene.request()
    let signature = try #require(request.indices.dropFirst(400).first)
    var forged = request
    forged[signature] ^= 1
    #expect(try scene.open(forged, paris) != "ok")
    #expect(try scene.open(Array(request.dropLast(2)), paris) == "malformed")
    let stranger = Caller(uid: 4242, gid: 4242, pid: 9)
    #expect(
      try paris.service.call(
        .openPaymentToken, key: scene.tokens.key(), body: request, from: stranger
      ).header.status == .denied)
    #expect(
      try paris.service.call(.openPaymentToken, key: KeyID(high: 9, low: 9), body: request).header
        .status == .denied)
    scene.tokens.clock.now = start.adding(seconds: 301)
    #expect(try scene.open(request, paris) == "signing-time")
    #expect(scene.store.asked.isEmpty)
    scene.tokens.clock.now = start
    #expect(try scene.open(request, paris) == "ok")
    #expect(try scene.open(request, paris) == "replay")
    #expect(scene.store.asked.count == 1)
  }

  @Test(
    "[FLEET-CLAIM-5] what a rate or quota refuses is not claimed, and opens on another host",
    arguments: [true, false]) func usedUp(isRate: Bool) throws
  {
    let grant = try isRate ? FleetScene.grant(rate: "1/h") : FleetScene.grant(quota: "1/d")
    let paris = try scene.host("paris", grant: grant)
    let rome = try scene.host("rome", grant: FleetScene.grant())
    let first = try scene.request()
    let second = try scene.request()
    #expect(try scene.open(first, paris) == "ok" && scene.open(second, paris) == "busy")
    #expect(scene.store.asked.count == 1)
    #expect(try scene.open(second, rome) == "ok")
  }

  @Test("[FLEET-CLAIM-5] a token for another key of this host is not claimed") func otherKey()
    throws
  {
    let paris = try scene.host("paris")
    let foreign = try TokenScene()
    let request = try foreign.request(signedAt: start)
    let reply = try paris.service.call(.openPaymentToken, key: scene.tokens.key(), body: request)
    #expect(reply.header.status == .rejected && scene.store.asked.isEmpty)
  }
}

/// Says what has an honest host open anything again.
private struct LyingClaims: FleetStore {
  let isAway = false

  func claim(_ claims: [Claim], under key: ClaimDigest) -> [ClaimHolding]? {
    claims.compactMap { claim in
      HostName("evil").map {
        ClaimHolding(.anotherHost, ageMilliseconds: 1, retryDigest: claim.retryDigest, host: $0)
      }
    }
  }
}

extension RequestBatch {
  fileprivate mutating func look(_ frame: [UInt8]) throws {
    let span = frame.span
    look(try RequestHeader(span), span.extracting(droppingFirst: RequestHeader.byteCount))
  }
}
