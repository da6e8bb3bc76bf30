import Audit
import Crypto
import Format
import KeyStore
import KistClient
import Operations
import Policy
import ServiceHarness
import TestSupport
import Testing

@testable import Service

/// What a request takes is made durable with its record, or given back: a token, an envelope, a use
/// of a key, a quota.
@Suite struct ReservationTests {
  private static let file = "/state/audit.recollection"

  /// One kind of request that can be made once, on a service in which nothing was done yet.
  enum Kind: CaseIterable, Sendable { case token, repeatableToken, envelope, use, quota }

  private struct Case {
    let service: TestService
    let frame: [UInt8]
    let caller: Caller
    /// The same service as its disk has it.
    let restarted: (SimulatedDisk) throws -> TestService

    /// `ok`, a status or the stage of a rejection.
    func outcome(_ service: TestService, handles: HandleTable = .none) throws -> String {
      let exchange = try inHand(service, handles: handles)
      let reply = try TestService.reply(exchange.replies())
      guard reply.header.status == .rejected else { return reply.header.status.name }
      return try Rejection(MessageReader(reply.body.span)).stage.name
    }

    /// A connection on which the request was served, and nothing is committed.
    func inHand(_ service: TestService, handles: HandleTable = .none) throws -> RequestBatch {
      var exchange = try service.service.exchange(with: caller, on: .services, handles: handles)
      try exchange.serve(frame.span)
      return exchange
    }
  }

  private func make(_ kind: Kind) throws -> Case {
    switch kind {
    case .token: try token(retryKey: [])
    case .repeatableToken: try token(retryKey: [UInt8](repeating: 7, count: 16))
    case .envelope: try envelope()
    case .use: try use()
    case .quota: try quota()
    }
  }

  private func token(retryKey: [UInt8]) throws -> Case {
    let scene = try TokenScene()
    func service(_ disk: SimulatedDisk?) throws -> TestService {
      let service = try scene.service(on: disk, adjust: Self.adjust)
      try service.unlock()
      return service
    }
    let frame = TestService.frame(
      .openPaymentToken, key: try scene.key(),
      body: try scene.request(signedAt: TestService.start, retryKey: retryKey))
    return Case(
      service: try service(nil), frame: frame, caller: TestService.caller, restarted: service)
  }

  private func envelope() throws -> Case {
    let scene = try EnvelopeScene(once: true)
    let service = try scene.service(adjust: Self.adjust)
    let body = try Self.opening(scene.seal(service))
    let caller = Caller(uid: EnvelopeScene.acquirer, gid: EnvelopeScene.acquirer, pid: 1)
    let frame = TestService.frame(.openEnvelope, key: scene.scene.sealingKey(), body: body)
    return Case(service: service, frame: frame, caller: caller) {
      try scene.service(on: $0, adjust: Self.adjust)
    }
  }

  private func use() throws -> Case {
    let key = Locked(KeyID.none)
    let test = try TestService(
      prepare: { store in
        guard let label = KeyLabel("merchant/acme/mac") else { return }
        let secret = [UInt8](repeating: 0x51, count: 32)
        let material = try KeyMaterial(keyData: secret.span, for: .macCMAC)
        let id = try store.importKey(
          KeyImport(label: label, role: .macCMAC, material: material, useLimit: 1),
          at: TestService.start, anchor: .beginning
        ).id
        key.withLock { $0 = id }
      }, adjust: Self.adjust)
    try test.unlock()
    let frame = TestService.frame(.mac, key: key.withLock { $0 }, body: try TestService.macBody())
    return Case(service: test, frame: frame, caller: TestService.caller) { disk in
      try Self.unlocked(TestService(on: disk, adjust: Self.adjust))
    }
  }

  private func quota() throws -> Case {
    let rule = try Rule(
      id: "once", callers: CallerRule(users: [Principal(id: TestService.caller.uid)]),
      operations: [.random], quota: Quota("1/d"))
    let frame = TestService.frame(.random, body: ServiceTests.random)
    let restarted: (SimulatedDisk) throws -> TestService = { disk in
      try Self.unlocked(TestService(on: disk, grants: [rule], adjust: Self.adjust))
    }
    return Case(
      service: try Self.unlocked(TestService(grants: [rule], adjust: Self.adjust)), frame: frame,
      caller: TestService.caller, restarted: restarted)
  }

  /// The log takes space page by page, so that a disk can be full for the next record.
  private static func adjust(_ settings: inout ServiceSettings) {
    settings.audit.allocation = 4096
  }

  private static func opening(_ sealed: EnvelopeScene.Sealed) throws -> [UInt8] {
    try written(atMost: 1024) { (writer) throws(WireError) in
      var request = OpenEnvelopeRequest()
      request.envelope = sealed.bytes.span
      request.merchantIdentifier = TokenScene.merchant
      request.transactionID = sealed.transaction.span
      try request.encode(into: &writer)
    }
  }

  private static func unlocked(_ service: TestService) throws -> TestService {
    try service.unlock()
    return service
  }

  @Test(
    "while a request is in hand nobody else gets what it took, and afterwards it is used",
    arguments: Kind.allCases) func taken(_ kind: Kind) throws
  {
    let row = try make(kind)
    let exchange = try row.inHand(row.service)
    #expect(try row.outcome(row.service) != "ok")
    #expect(try TestService.reply(exchange.replies()).header.status == .ok)
    #expect(try (row.outcome(row.service) == "ok") == (kind == .repeatableToken))
    #expect(
      try (row.outcome(row.restarted(row.service.disk.afterCrash(.losesUnsynced))) == "ok")
        == (kind == .repeatableToken))
  }

  @Test(
    "what a request took whose record the disk has no room for is given back",
    arguments: Kind.allCases, [false, true])
  func fullDisk(_ kind: Kind, restarts: Bool) throws {
    let row = try make(kind)
    row.service.disk.fill(to: row.service.disk.usedBytes)
    var exchange = try row.inHand(row.service)
    // More than the rest of a page.
    let others = TestService.frame(.describe)
    for _ in 0..<24 { try exchange.serve(others.span) }
    #expect(try TestService.reply(exchange.replies()).header.status == .auditUnavailable)
    row.service.disk.fill(to: nil)
    guard restarts, kind != .use else { return #expect(try row.outcome(row.service) == "ok") }
    #expect(row.service.service.stop())
    #expect(try row.outcome(row.restarted(row.service.disk.afterCrash(.losesUnsynced))) == "ok")
  }

  @Test(
    "after a stop without it the next start gives it back, too, whether or not it reads the recollection",
    arguments: Kind.allCases, [false, true])
  func restart(_ kind: Kind, isForgotten: Bool) throws {
    // A use is counted on the disk before it is made: a stop may skip it.
    guard kind != .use else { return }
    let row = try make(kind)
    let exchange = try row.inHand(row.service)
    #expect(row.service.service.stop())
    #expect(try TestService.reply(exchange.replies()).header.status != .ok)
    let disk = row.service.disk.afterCrash(.losesUnsynced)
    if isForgotten { disk.unplant(Self.file) }
    let again = try row.restarted(disk)
    #expect(try row.outcome(again) == "ok")
    #expect(try (row.outcome(again) == "ok") == (kind == .repeatableToken))
  }

  @Test("[OP-ENV-5] an envelope whose opening fails after all else opens, once")
  func failedOpening() throws {
    let scene = try EnvelopeScene(once: true)
    let service = try scene.service()
    let sealed = try scene.seal(service)
    let body = try Self.opening(sealed)
    #expect(try fails(body, with: scene.scene.sealingKey(), service.service))
    #expect(try scene.open(sealed, service) != .refused("envelope-used"))
    #expect(try scene.open(sealed, service) == .refused("envelope-used"))
  }

  /// Whether an opening fails that has no room for what it writes last, as when the arena has none.
  private func fails(_ body: [UInt8], with key: KeyID, _ service: Service) throws -> Bool {
    let session = try #require(service.session)
    let rules = service.rules.snapshot
    let caller = Caller(uid: EnvelopeScene.acquirer, gid: EnvelopeScene.acquirer, pid: 1)
    let covering = rules.policy.covering(
      caller, .openEnvelope, key: .known(KeyTarget(id: key, label: "merchant/sealing")))
    switch covering.decide(at: service.moment, limits: service.limits) {
    case .deny: return false
    case .allow(let grant):
      return Self.fails(body, OperationContext(grant, session.daemon, rules, .none))
    }
  }

  private static func fails(_ body: [UInt8], _ context: consuming OperationContext) -> Bool {
    var small = [UInt8](repeating: 0, count: 4)
    var writer = MessageWriter(small.mutableSpan)
    let span = body.span
    guard let request = try? OpenEnvelopeRequest(MessageReader(span)) else { return false }
    do throws(OperationError) {
      try OpenEnvelope.run(request, context, into: &writer)
      return false
    } catch { return true }
  }

  @Test("[KS-USE-LIMIT] a use that ends in `busy` is given back, and one that is rejected is not")
  func busyUse() throws {
    let key = Locked(KeyID.none)
    let test = try TestService { store in
      guard let label = KeyLabel("merchant/acme/agreement") else { return }
      let material = KeyMaterial.privateKey(try PrivateKey.generate(.p256))
      let id = try store.importKey(
        KeyImport(label: label, role: .agreement, material: material, useLimit: 2),
        at: TestService.start, anchor: .beginning
      ).id
      key.withLock { $0 = id }
    }
    try test.unlock()
    let handles = test.service.makeHandles()
    func ask(_ body: [UInt8], _ handles: HandleTable) throws -> Status {
      try test.call(.ecdh, key: key.withLock { $0 }, body: body, handles: handles).header.status
    }
    let good = try Body.ecdh(try PrivateKey.generate(.p256).publicKey.point ?? [])
    for _ in 0..<4 { #expect(try ask(good, .none) == .busy, "the connection can hold no secret") }
    #expect(
      try ask(Body.ecdh([4] + [UInt8](repeating: 1, count: 64)), handles) == .rejected,
      "no point of the curve")
    #expect(try ask(good, handles) == .ok)
    #expect(try ask(good, handles) == .rejected)
  }
}
