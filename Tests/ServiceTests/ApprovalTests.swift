import Audit
import Crypto
import Format
import Host
import KeyStore
import KistClient
import Operations
import Policy
import ServiceHarness
import TestSupport
import Testing

@testable import Service

/// Four eyes: what one person asks for, and another lets happen.
@Suite struct ApprovalTests {
  private static let first = TestService.caller
  private static let second = person(1001)
  private static let third = person(1002)

  private static func person(_ uid: UInt32) -> Caller {
    Caller(uid: uid, gid: uid, pid: 2, name: "user-\(uid)")
  }

  private static func rule(
    _ id: String = "operators", _ operations: Set<Opcode>? = nil, approval: Bool = false
  ) throws -> Rule {
    let operations =
      operations ?? [
        .status, .lock, .random, .generateKey, .activateKey, .retireKey, .compromiseKey,
        .destroyKey, .suspendKey, .resumeKey, .approve, .listRequests,
        .swapPolicy, .describeKey,
      ]
    return try Rule(
      id: id, callers: CallerRule(users: [first, second, third].map { Principal(id: $0.uid) }),
      operations: operations,
      keys: operations.contains(where: \.keyUse.needsKeys) ? [.prefix("")] : [],
      showsStage: true, needsApproval: approval)
  }

  private let test: TestService
  private let key: KeyID

  init() throws {
    var made = KeyID.none
    test = try TestService(
      grants: [Self.rule()],
      prepare: { store in
        let label = try #require(KeyLabel("acme/sealing"))
        made =
          try store.importKey(
            KeyImport(label: label, role: .sealing, material: .symmetric(SecretBuffer(count: 32))),
            at: TestService.start, anchor: .beginning
          ).id
      },
      adjust: {
        $0.configuration.operators.approval = [
          .retireKey, .compromiseKey, .destroyKey, .resumeKey, .generateKey, .swapPolicy,
        ]
        $0.configuration.operators.approvalTime = .seconds(600)
      })
    key = made
    try test.unlock()
  }

  private func ask(
    _ opcode: Opcode = .retireKey, _ key: KeyID? = nil, _ body: [UInt8] = [],
    from caller: Caller = first
  ) throws -> (
    header: ReplyHeader, body: [UInt8]
  ) {
    try test.call(
      opcode, key: key ?? (opcode.keyUse.needsKeys ? self.key : .none), body: body,
      from: caller, on: .operators)
  }

  /// The short name of a request that is to wait.
  private func waits(
    _ opcode: Opcode = .retireKey, _ body: [UInt8] = [], from caller: Caller = first
  ) throws -> String {
    let reply = try ask(opcode, nil, body, from: caller)
    try #require(reply.header.status == .approvalNeeded)
    let bytes = reply.body.span
    return try ApprovalNeeded(MessageReader(bytes)).request
  }

  private func approve(_ name: String, by caller: Caller = second) throws -> (
    status: Status, stage: Stage?
  ) {
    // Not as an `ApproveRequest`, which would not be written with a name that the daemon refuses.
    let reply = try ask(
      .approve, nil, written(atMost: 64) { try $0.bytes(1, name.utf8.span) }, from: caller)
    guard reply.header.status == .rejected else { return (reply.header.status, nil) }
    let body = reply.body.span
    return (reply.header.status, try Rejection(MessageReader(body)).stage)
  }

  @Test(
    "[OP-APPROVE-1] a body that does not parse waits for nobody: it is answered as malformed, and no approval is used for it"
  )
  func malformed() throws {
    for body in [[0xFF], [0x08, 1], [0x0A, 0x40, 1]] as [[UInt8]] {
      #expect(try ask(.generateKey, nil, body).header.status == .malformed)
      #expect(try ask(.retireKey, nil, body).header.status == .malformed)
    }
    #expect(try list().isEmpty)
    let name = try waits()
    #expect(try approve(name).status == .ok)
    #expect(try ask(.retireKey, nil, [0x08, 1]).header.status == .malformed)
    #expect(try ask().header.status == .ok, "the approval is still there")
  }

  private func list() throws -> [PendingRequest] {
    let body = try ask(.listRequests, from: Self.third).body
    return try ListRequestsReply(MessageReader(body.span)).requests
  }

  @Test(
    "[OP-APPROVE-5] whoever approves an export sees under which exchange key the key would leave")
  func theExchangeKeyIsShown() throws {
    var ids: [KeyID] = []
    var kcv: [UInt8] = []
    let test = try TestService(
      grants: [Self.rule("operators", [.exportKey, .listRequests])],
      prepare: { store in
        for (label, role) in [
          ("acme/data", KeyRole.sealing), ("bank/exchange", .keyExchange), ("acme/other", .sealing),
        ] {
          let material = try KeyMaterial(
            keyData: [UInt8](repeating: UInt8(ids.count + 1), count: 32).span, for: role)
          let request = KeyImport(
            label: try #require(KeyLabel(label)), role: role, material: material,
            isExportable: role == .sealing)
          let record = try store.importKey(request, at: TestService.start, anchor: .beginning)
          ids.append(record.id)
          if role == .keyExchange { kcv = record.check.value }
        }
      }, adjust: { $0.configuration.operators.approval = [.exportKey] })
    try test.unlock()
    func shown(under exchange: KeyID) throws -> PendingRequest {
      let body = try written(atMost: 32) {
        try ExportKeyRequest(exchangeKey: exchange.bytes).encode(into: &$0)
      }
      let asked = try test.call(
        .exportKey, key: ids[0], body: body, from: Self.first, on: .operators)
      try #require(asked.header.status == .approvalNeeded)
      let list = try test.call(.listRequests, from: Self.third, on: .operators).body
      return try #require(try ListRequestsReply(MessageReader(list.span)).requests.last)
    }
    let export = try shown(under: ids[1])
    #expect(
      export.label == "acme/data" && export.exchangeKey == ids[1].bytes
        && export.exchangeLabel == "bank/exchange" && export.exchangeCheckValue == kcv)
    #expect(!kcv.isEmpty)
    // Neither another role's key nor one that is not there is passed off as an exchange key.
    for other in [ids[2], KeyID(high: 9, low: 9)] {
      let request = try shown(under: other)
      #expect(
        request.exchangeKey.isEmpty && request.exchangeLabel.isEmpty
          && request.exchangeCheckValue.isEmpty)
    }
  }

  @Test(
    "[OP-APPROVE-6] to import a key under which others leave takes whom an export takes: a partner's or an exchange key, from a file or a block",
    arguments: [
      ("partner-encryption-aes", true), ("key-exchange", true), ("key-exchange-tdea", true),
      ("sealing", false), ("unknown", false),
    ],
    [Opcode.importKey, .importBlock])
  func waysOut(_ role: (name: String, isOne: Bool), _ opcode: Opcode) throws {
    func answer(_ approval: Set<Opcode>, needed: Bool = false) throws -> Status {
      var exchange = KeyID.none
      let test = try TestService(
        grants: [Self.rule("operators", [opcode], approval: needed)],
        prepare: { store in
          let material = try KeyMaterial(
            keyData: [UInt8](repeating: 1, count: 32).span, for: .keyExchange)
          let request = KeyImport(
            label: try #require(KeyLabel("bank/exchange")), role: .keyExchange, material: material)
          exchange = try store.importKey(request, at: TestService.start, anchor: .beginning).id
        }, adjust: { $0.configuration.operators.approval = approval })
      try test.unlock()
      let bytes = [UInt8](repeating: 7, count: role.name.contains("tdea") ? 16 : 32)
      var request = ImportKeyRequest()
      request.label = "acme/new"
      request.role = role.name
      request.privateKey = bytes.span
      let body = try written(atMost: 512) { try request.encode(into: &$0) }
      return try test.call(
        opcode, key: opcode == .importBlock ? exchange : .none, body: body, from: Self.first,
        on: .operators
      ).header.status
    }
    #expect((try answer(Opcode.approvedByDefault) == .approvalNeeded) == role.isOne)
    #expect((try answer([.exportKey]) == .approvalNeeded) == role.isOne)
    // Who needs nobody to export needs nobody for this either.
    #expect(try answer([.destroyKey]) != .approvalNeeded)
    #expect(try answer([opcode]) == .approvalNeeded)
    #expect(try answer([], needed: true) == .approvalNeeded)
  }

  @Test(
    "[OP-APPROVE-2] a subordinate uid approves nothing of its owner's, and nothing at all on the operators' socket"
  )
  func subordinates() throws {
    let subordinate = Caller(uid: Self.second.uid, gid: 1, pid: 3, owner: Self.first.uid)
    let name = try waits()
    #expect(try approve(name, by: subordinate).status == .denied)
    #expect(try test.lastRecord()?.policy?.denial == "subordinate-user")
    let body = try written(atMost: 64) { try ApproveRequest(request: name).encode(into: &$0) }
    #expect(try test.call(.ping, from: subordinate, on: .operators).header.status == .denied)
    #expect(
      try test.call(.approve, body: body, from: subordinate, on: .services).header.status == .denied
    )
  }

  @Test("[OP-APPROVE-2] what a subordinate uid asks for is its owner's request")
  func subordinatesRequest() throws {
    let test = try TestService(grants: [
      Self.rule("services", [.random], approval: true), Self.rule(),
    ])
    try test.unlock()
    let subordinate = Caller(uid: Self.second.uid, gid: 1, pid: 3, owner: Self.first.uid)
    let asked = try test.call(.random, body: [0x08, 0x10], from: subordinate)
    try #require(asked.header.status == .approvalNeeded)
    let needed = asked.body.span
    let name = try ApprovalNeeded(MessageReader(needed)).request
    let approval = try written(atMost: 64) { try ApproveRequest(request: name).encode(into: &$0) }
    #expect(
      try test.status(.approve, body: approval, from: Self.first, on: .operators) == .rejected)
    #expect(try test.lastRecord()?.stage == "own-request")
    #expect(try test.status(.approve, body: approval, from: Self.third, on: .operators) == .ok)
    #expect(try test.status(.random, body: [0x08, 0x10], from: Self.first) == .ok)
    let record = try #require(try test.records().first { $0.result == "approval-needed" })
    #expect(
      record.actor?.uid == Int64(subordinate.uid) && record.actor?.person == Int64(Self.first.uid))
  }

  @Test(
    "[OP-APPROVE-1] [OP-APPROVE-3] [WIRE-20] it waits, is approved by another, and is carried out once"
  )
  func fourEyes() throws {
    let name = try waits()
    #expect(try ask(.describeKey).header.status == .ok)
    #expect(try approve(name).status == .ok)
    #expect(try ask().header.status == .ok)
    // The approval is used up, and what a retired key's state refuses is refused before anybody is
    // asked.
    #expect(try ask().header.status == .rejected)
    #expect(try approve(name).status == .rejected)
    let operations = try test.operations().filter { $0 != "describe-key" }
    #expect(
      operations.suffix(5) == ["approve", "retire-key", "key-retired", "retire-key", "approve"])
  }

  @Test("the records of a request's life name it, and who approved")
  func records() throws {
    let name = try waits()
    let asked = try #require(try test.lastRecord())
    #expect(
      (asked.result, asked.inputs.approval?.request, asked.inputs.approval?.by) == (
        "approval-needed", name, nil
      ))
    #expect(try approve(name).status == .ok)
    let approved = try #require(try test.lastRecord())
    #expect(
      (approved.actor?.uid, approved.inputs.approval?.request, approved.inputs.approval?.by) == (
        1001, name, 1001
      ))
    #expect(approved.inputs.approval?.byName == "user-1001")
    _ = try ask()
    let done = try test.records().last { $0.operation == "retire-key" }
    #expect(
      (done?.result, done?.inputs.approval?.request, done?.inputs.approval?.by) == (
        "ok", name, 1001
      ))
    #expect(
      try test.reopenedStore { $0.record(for: key)?.persons[.retired] }
        == Persons(asked: 1000, approved: 1001))
  }

  @Test("[OP-APPROVE-2] nobody approves their own; unknown names are refused, all on the record")
  func refusedApprovals() throws {
    let name = try waits()
    #expect(try approve(name, by: Self.first) == (.rejected, .ownRequest))
    #expect(try test.lastRecord()?.stage == "own-request")
    for unknown in ["00000000", "x", String(repeating: "f", count: 16)] {
      #expect(try approve(unknown) == (.rejected, .unknownRequest))
    }
    #expect(try test.lastRecord()?.inputs.approval == nil)
    #expect(try approve(String(repeating: "f", count: 17)).status == .malformed)
    #expect(try approve("").status == .malformed)
    #expect(try waits() == name)
  }

  @Test("[OP-APPROVE-1] an approval is for this user, operation, key and body alone")
  func scope() throws {
    let body = try written(atMost: 256) {
      try GenerateKeyRequest(label: "acme/a", role: "sealing").encode(into: &$0)
    }
    let other = try written(atMost: 256) {
      try GenerateKeyRequest(label: "acme/b", role: "sealing").encode(into: &$0)
    }
    let name = try waits(.generateKey, body)
    #expect(try approve(name).status == .ok)
    #expect(try waits(.generateKey, other) != name)
    #expect(try waits(.generateKey, body, from: Self.third) != name)
    #expect(try waits(.retireKey) != name)
    #expect(try ask(.generateKey, nil, body).header.status == .ok)
  }

  @Test("[OP-APPROVE-1] sent again while it waits, it leaves no further record")
  func patience() throws {
    let name = try waits()
    let records = try test.operations().count
    for _ in 0..<5 { #expect(try waits() == name) }
    #expect(try test.operations().count == records)
    #expect(try ask().header.auditSequence == ReplyHeader.unaudited)
  }

  @Test("[OP-APPROVE-3] an approval is used up by a request that fails")
  func usedUp() throws {
    let body = try written(atMost: 256) {
      try GenerateKeyRequest(label: "acme/sealing", role: "sealing").encode(into: &$0)
    }
    let name = try waits(.generateKey, body)
    #expect(try approve(name).status == .ok)
    #expect(try ask(.generateKey, nil, body).header.status == .rejected)
    #expect(try waits(.generateKey, body) != name)
  }

  @Test(
    "[OP-STATE-2] what the key's state refuses is refused at once, and no second person is asked")
  func refusedAnyway() throws {
    for opcode in [Opcode.destroyKey, .resumeKey] {
      let reply = try ask(opcode)
      let body = reply.body.span
      #expect(
        try reply.header.status == .rejected && Rejection(MessageReader(body)).stage == .keyState,
        "\(opcode)")
      let record = try test.lastRecord()
      #expect(
        (record?.operation, record?.result, record?.stage) == (opcode.name, "rejected", "key-state")
      )
    }
    #expect(try list().isEmpty)
    let name = try waits(.retireKey)
    #expect(try approve(name).status == .ok)
    #expect(try ask(.retireKey).header.status == .ok)
    _ = try waits(.destroyKey)
  }

  @Test("[OP-STATE-3] one person stops a key at once; it takes two to let it go on, or to end it")
  func suspension() throws {
    #expect(try ask(.suspendKey).header.status == .ok)
    let resuming = try waits(.resumeKey), ending = try waits(.compromiseKey)
    for (name, opcode, state) in [
      (resuming, Opcode.resumeKey, KeyState.active), (ending, .compromiseKey, .compromised),
    ] {
      #expect(try approve(name, by: Self.first) == (.rejected, .ownRequest))
      #expect(try approve(name).status == .ok)
      #expect(try ask(opcode).header.status == .ok)
      #expect(try test.reopenedStore { $0.record(for: key)?.state } == state)
    }
  }

  @Test("[OP-APPROVE-4] time ends a request, and an approval")
  func time() throws {
    let name = try waits()
    test.clock.now = test.clock.now.adding(seconds: 600)
    #expect(try approve(name) == (.rejected, .unknownRequest))
    let next = try waits()
    #expect(try approve(next).status == .ok)
    test.clock.now = test.clock.now.adding(seconds: 600)
    #expect(try waits() != next)
    // A clock that is set back gives no more time.
    let last = try waits()
    test.clock.step(seconds: -3600)
    test.clock.now = test.clock.now.adding(seconds: 600)
    #expect(try approve(last) == (.rejected, .unknownRequest))
  }

  @Test("[OP-APPROVE-4] locking forgets")
  func locking() throws {
    let name = try waits()
    #expect(try approve(name).status == .ok)
    #expect(try ask(.lock).header.status == .ok)
    try test.unlock()
    #expect(try waits() != name)
    #expect(try approve(name) == (.rejected, .unknownRequest))
  }

  @Test("[OP-APPROVE-4] one user has room for eight requests")
  func room() throws {
    func body(_ number: Int) throws -> [UInt8] {
      try written(atMost: 256) {
        try GenerateKeyRequest(label: "acme/\(number)", role: "sealing").encode(into: &$0)
      }
    }
    for number in 0..<8 { _ = try waits(.generateKey, body(number)) }
    #expect(try ask(.generateKey, nil, body(8)).header.status == .busy)
    #expect(try test.lastRecord()?.result == "busy")
    _ = try waits(.generateKey, body(8), from: Self.third)
    test.clock.now = test.clock.now.adding(seconds: 600)
    _ = try waits(.generateKey, body(8))
  }

  @Test("[OP-APPROVE-5] what waits is listed: who, what, which key, which bytes, and who approved")
  func listing() throws {
    #expect(try list().isEmpty)
    let names = [try waits(), try waits(.compromiseKey, from: Self.second)]
    #expect(try approve(names[0]).status == .ok)
    let listed = try list()
    #expect(listed.map(\.id) == names)
    #expect(
      listed.map(\.uid) == [1000, 1001]
        && listed.map(\.operation) == ["retire-key", "compromise-key"])
    #expect(
      listed.allSatisfy {
        $0.key == key.bytes && $0.label == "acme/sealing" && $0.digest.count == 32
      })
    #expect(listed.map(\.approvedBy) == [1001, nil])
    #expect(listed[0].until == UInt64(TestService.start.seconds) + 600)
  }

  @Test(
    "a grant that needs an approval waits on the services' socket, and its body stays unguessable")
  func grants() throws {
    let test = try TestService(grants: [
      Self.rule("drawers", [.random], approval: true), Self.rule(),
    ])
    try test.unlock()
    let body = try written(atMost: 16) { try RandomRequest(count: 4).encode(into: &$0) }
    let reply = try test.call(.random, body: body)
    try #require(reply.header.status == .approvalNeeded)
    let list = try test.call(.listRequests, from: Self.second, on: .operators).body
    let listed = try ListRequestsReply(MessageReader(list.span)).requests
    #expect(listed.map(\.digest) == [[]])
    let approval = try written(atMost: 64) {
      try ApproveRequest(request: try #require(listed.first).id).encode(into: &$0)
    }
    #expect(
      try test.call(.approve, body: approval, from: Self.second, on: .services).header.status
        == .denied)
    #expect(
      try test.call(.approve, body: approval, from: Self.second, on: .operators).header.status
        == .ok)
    #expect(try test.call(.random, body: body).header.status == .ok)
    #expect(try test.call(.random, body: body).header.status == .approvalNeeded)
  }

  @Test("who has no grant does not wait: it is denied")
  func denied() throws {
    #expect(try ask(from: Self.person(4000)).header.status == .denied)
    #expect(try list().isEmpty)
    let name = try waits()
    #expect(try approve(name, by: Self.person(4000)).status == .denied)
  }

  @Test("[OP-SWAP-1] a reload takes another policy only when it was named and approved, once")
  func policy() throws {
    let changed = try TestService.rules([Self.rule(), Self.rule("more", [.random])])
    #expect(throws: ReloadError.notApproved) { try test.service.reload(changed) }
    #expect(try test.operations().last == "policy-swap-refused")
    let body = try written(atMost: 64) {
      try SwapPolicyRequest(policyHash: changed.policyHash.bytes).encode(into: &$0)
    }
    let name = try waits(.swapPolicy, body)
    #expect(
      try list().first?.digest == changed.policyHash.bytes, "[OP-APPROVE-5] SHA-256 of the policy")
    #expect(throws: ReloadError.notApproved) { try test.service.reload(changed) }
    #expect(try approve(name).status == .ok)
    // Approved, and not yet asked for again.
    #expect(throws: ReloadError.notApproved) { try test.service.reload(changed) }
    #expect(try ask(.swapPolicy, nil, body).header.status == .ok)
    #expect(throws: ReloadError.notApproved) {
      try test.service.reload(TestService.rules([Self.rule("other")]))
    }
    try test.service.reload(changed)
    #expect(try test.operations().last == "policy-swap")
    // The way back is a change like any other; what is in force already is none.
    #expect(throws: ReloadError.notApproved) {
      try test.service.reload(TestService.rules([Self.rule()]))
    }
    try test.service.reload(changed)
    #expect(try ask(.lock).header.status == .ok)
    #expect(throws: ReloadError.notApproved) {
      try test.service.reload(TestService.rules([Self.rule()]))
    }
  }
}
