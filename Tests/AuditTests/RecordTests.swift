import Audit
import Crypto
import Format
import Foundation
import Host
import Policy
import Review
import TestSupport
import Testing

@Suite struct RecordTests {
  private let test: TestLog
  private let key = KeyTarget(
    id: KeyID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10),
    label: "merchant/acme/processing-2026")

  init() throws { test = try TestLog() }

  private func request(_ operation: RequestFacts.Operation = .known(.openPaymentToken))
    -> RequestFacts
  {
    RequestFacts(
      operation, id: 0xABCD, caller: TestLog.caller, key: key.id, label: key.label,
      policy: TestLog.policy)
  }

  /// The line that an attempt becomes, and the record it reads back as.
  private func record(_ attempt: consuming Attempt) throws -> (String, Record) {
    let log = try test.open()
    let receipt = try log.commit(Batch(attempt))
    let sequence = receipt.firstSequence
    var found: (String, Record)?
    try log.reader.forEachRecord(from: sequence) { record, line in
      found = (String(decoding: (0..<line.count).map { line[$0] }, as: UTF8.self), record)
      return false
    }
    return try #require(found)
  }

  /// [AUD-REC-1]
  @Test func anOpenedTokenIsWrittenCanonically() throws {
    let transaction = KeyedDigest(SHA256.hash([9]))
    let (line, record) = try record(
      Attempt(
        request(), allowed: try Grant.opening(key),
        .done(released: ReleasedFields([.network, .last4])),
        inputs: Inputs(transaction: transaction, currency: 978, amount: 4200)))
    let expected = """
      {"actor":{"exe":"/usr/bin/shop","gid":100,"pid":4242,"uid":1000,"unit":"shop.service"},\
      "boot":"0123456789abcdef0123456789abcdef",\
      "in":{"amount":4200,"currency":978,"transaction":"\(transaction.text)"},\
      "key":"0102030405060708090a0b0c0d0e0f10","label":"merchant/acme/processing-2026","op":"open-payment-token",\
      "policy":{"decision":"allow","grant":"shop","sha256":"\(TestLog.policy.hex)"},"prev":"\(record.previous.hex)",\
      "released":["last4","network"],"req":"000000000000abcd","result":"ok","seq":2,"ts":"2027-01-15T08:00:00.000000Z","v":1}
      """
    #expect(line == expected)
    #expect(record.sequence == 2)
    #expect(record.opcode == .openPaymentToken)
    #expect(record.status == .ok)
    #expect(record.key == key.id)
    #expect(record.inputs.transaction == transaction)
    #expect(record.released == ["last4", "network"])
    #expect(record.time == Timestamp(seconds: 1_800_000_000))
    #expect(record.policy?.isAllowed == true)
    let value = try CanonicalJSON(parsing: Array(line.utf8).span, byteLimit: 65_535)
    #expect(value.serialised == Array(line.utf8))
    #expect(
      HumanLine.text(record) == """
        2027-01-15T08:00:00.000000Z  #2        open-payment-token    ok                        key=merchant/acme/processing-2026  \
        uid=1000 pid=4242 unit=shop.service exe=/usr/bin/shop  grant=shop  released=last4,network  req=000000000000abcd  \
        transaction=\(transaction.value.hex.prefix(16))
        """)
  }

  @Test("who asked has a name, and a grant says by which group and unit it covers")
  func namesAreWrittenCanonically() throws {
    let caller = Caller(
      uid: 400_005, gid: 100, groups: [901, 902], pid: 1, unit: "shop.service", owner: 1000,
      name: "web\u{1B}", ownerName: String(repeating: "é", count: 200))
    let facts = RequestFacts(.known(.random), id: 1, caller: caller, policy: TestLog.policy)
    let rule = try Rule(
      id: "team", callers: CallerRule(users: [Principal(id: 400_005)], units: ["shop.service"]),
      operations: [.random])
    let (line, found) = try record(
      Attempt(facts, allowed: try Grant.of(rule, caller, .random), .done(released: [])))
    let owner = String(repeating: "é", count: 128)
    #expect(
      line.hasPrefix(
        #"{"actor":{"gid":100,"name":"web\u001b","owner":1000,"owner_name":"\#(owner)","pid":1,"uid":400005,"unit":"shop.service"},"#
      ))
    #expect(
      line.contains(
        #""policy":{"decision":"allow","grant":"team","sha256":"\#(TestLog.policy.hex)","unit":"shop.service"}"#
      ))
    #expect(
      found.actor?.name == "web\u{1B}" && found.actor?.ownerName == owner
        && found.policy?.unit == "shop.service" && found.policy?.group == nil)
    #expect(
      HumanLine.text(found).contains(
        #"user=web\u{1b} uid=400005 owner=1000 pid=1 unit=shop.service"#))

    let member = Caller(uid: 7, gid: 100, groups: [901, 902], pid: 1)
    let groups = try Rule(
      id: "team",
      callers: CallerRule(groups: [
        Principal(id: 5), Principal(id: 902, name: "clients"), Principal(id: 100),
      ]), operations: [.random])
    let byGroup = try record(
      Attempt(
        RequestFacts(.known(.random), id: 1, caller: member, policy: TestLog.policy),
        allowed: try Grant.of(groups, member, .random), .done(released: []))
    )
    #expect(byGroup.0.contains(#""grant":"team","group":902,"group_name":"clients","sha256":"#))
    #expect(
      byGroup.1.policy?.group == 902 && byGroup.1.policy?.groupName == "clients"
        && byGroup.1.actor?.name == nil)
    #expect(HumanLine.text(byGroup.1).contains("grant=team  group=clients"))
    #expect(test.verify().verdict == .good)
  }

  @Test func backupsAndRestoringsAreWrittenCanonically() throws {
    var inputs = Inputs()
    inputs.backup = Backup(digest: SHA256.hash([]), generation: 12, keys: 9, needs: 7)
    let digest = SHA256.hash([]).hex
    let backup = try record(
      Attempt(
        request(.known(.backUp)), allowed: try Grant.opening(key), .done(released: []),
        inputs: inputs))
    #expect(
      backup.0.contains(
        #""in":{"backup":{"digest":"\#(digest)","generation":12,"keys":9,"needs":7}},"#))
    #expect(backup.1.inputs == inputs)
    #expect(HumanLine.text(backup.1).hasSuffix("generation=12  keys=9  digest=" + digest))
    for broken in [#""keys":9"#, #""needs":7"#, #""generation":12"#, digest] {
      let text = backup.0.replacingOccurrences(
        of: broken, with: broken == digest ? "00" : #""x":1"#)
      let line = Array(text.utf8)
      #expect(throws: CanonicalJSONError.self, "\(broken)") { try Record(parsing: line.span) }
    }
    var restoring = Event.Restoring(digest: SHA256.hash([]), generation: 12)
    restoring.lost = .max
    restoring.missing = 1
    restoring.moved = 2
    let event = try record(Attempt(.keyStoreRestored(restoring)))
    #expect(
      event.0.contains(
        #""event":{"digest":"\#(digest)","forgotten":true,"generation":12,"lost":9007199254740991,"missing":1,"moved":2},"op":"key-store-restored""#
      ))
    restoring.lost = nil
    restoring.unread = 7
    #expect(
      try record(Attempt(.keyStoreRestored(restoring))).0.contains(
        #""forgotten":true,"generation":12,"lost":0,"missing":1,"moved":2,"unread":7},"op":"key-store-restored""#
      ))
  }

  @Test func sharesAndDrillsAreWrittenCanonically() throws {
    var inputs = Inputs()
    inputs.share = [0x5F, 0x0C, 0x1A, 0x22, 0xB7]
    inputs.submitted = Timestamp(seconds: 1_799_999_000)
    let share = try record(
      Attempt(
        request(.known(.submitShare)), allowed: try Grant.opening(key), .rejected(.shareHolder),
        inputs: inputs))
    #expect(
      share.0.contains(#""in":{"share":"5f0c1a22b7","submitted":"2027-01-15T07:43:20.000000Z"},"#))
    #expect(share.1.inputs == inputs)
    #expect(HumanLine.text(share.1).contains("rejected (share-holder)"))
    #expect(HumanLine.text(share.1).hasSuffix("share=5f0c1a22b7"))

    for (missing, word) in [(0, "passed"), (1, "failed")] as [(UInt64, String)] {
      var inputs = Inputs()
      inputs.drill = Drill(generation: 12, matched: 9, missing: missing, different: 0, surplus: 0)
      let drill = try record(
        Attempt(
          request(.known(.recordDrill)), allowed: try Grant.opening(key), .done(released: []),
          inputs: inputs))
      #expect(
        drill.0.contains(
          #""in":{"drill":{"different":0,"generation":12,"matched":9,"missing":\#(missing),"surplus":0}},"#
        ))
      #expect(drill.1.inputs == inputs)
      #expect(HumanLine.text(drill.1).hasSuffix("drill=" + word))
    }
  }

  @Test func whatFailedSaysWhere() throws {
    let rejected = try record(
      Attempt(request(), allowed: try Grant.opening(key), .rejected(.signature))
    ).1
    #expect(rejected.status == .rejected)
    #expect(rejected.stage == "signature")
    #expect(HumanLine.text(rejected).contains("rejected (signature)"))
  }

  @Test func denialsNameTheirReason() throws {
    let (line, record) = try record(Attempt(request(), denied: .rate(grant: "shop")))
    #expect(record.status == .denied)
    #expect(record.policy?.denial == "rate")
    #expect(
      line.contains(#""policy":{"decision":"deny","denial":"rate","grant":"shop","sha256":""#))
  }

  @Test("[AUD-REC-7] a denial is as long for an absent key as for any forbidden one")
  func denialsAreOfOneSize() throws {
    var sizes: Set<Int> = []
    for label in [nil, "a", "merchant/acme/processing-2026", String(repeating: "a", count: 128)] {
      for denial in [
        Denial.noGrant, .unknownKey, .wrongSocket, .subordinateUser, .overflowIdentity,
      ] {
        let facts = RequestFacts(
          .known(.sign), id: 1, caller: TestLog.caller, key: key.id, label: label,
          policy: TestLog.policy)
        let (line, record) = try record(Attempt(facts, denied: denial))
        #expect(record.label == label && record.policy?.denial == denial.name)
        // Records are numbered.
        sizes.insert(line.utf8.count - String(record.sequence).utf8.count)
      }
    }
    #expect(sizes.count == 1, "\(sizes)")
    let facts = RequestFacts(.known(.random), id: 1, caller: TestLog.caller, policy: TestLog.policy)
    #expect(try !record(Attempt(facts, denied: .noGrant)).0.contains("\"pad\""))
  }

  @Test(arguments: [
    (RequestFacts.Operation.known(.ping), "ping"), (.unknown(0xBEEF), "opcode-beef"),
    (.unreadable, "unreadable"),
  ])
  func requestsBeforePolicyAreNamed(_ operation: RequestFacts.Operation, _ name: String) throws {
    let (line, record) = try record(Attempt(request(operation), refused: .malformed))
    #expect(record.operation == name)
    #expect(record.status == .malformed)
    #expect(!line.contains("policy"))
  }

  @Test(arguments: [
    (
      Event.keyStoreUnlocked(.passphrase), #""event":{"by":"passphrase"},"op":"key-store-unlocked""#
    ),
    (
      Event.keyStoreUnlocked(.credential, refused: 3),
      #""event":{"by":"credential","refused":3},"op":"key-store-unlocked""#
    ),
    (.keyStoreLocked, #""event":{},"op":"key-store-locked""#),
    (.clockStep(microseconds: -5), #""event":{"microseconds":-5},"op":"clock-step""#),
    (
      .connectionsRefused(
        RefusedConnections(.init(.operators, .full, uid: 7), at: Timestamp(seconds: 0))),
      #""event":{"count":1,"first":"1970-01-01T00:00:00.000000Z","last":"1970-01-01T00:00:00.000000Z","reason":"full","socket":"operators","uid":7},"op":"connections-refused""#
    ),
    (
      .clockStep(microseconds: .min),
      #""event":{"microseconds":-9007199254740991},"op":"clock-step""#
    ),
    (
      .key(.activated, KeyTarget(id: KeyID(high: 1, low: 2), label: "a")),
      #""event":{},"key":"00000000000000010000000000000002","label":"a","op":"key-activated""#
    ),
    (.stop, #""event":{},"op":"stop""#),
  ])
  func eventsAreAClosedSet(_ event: Event, _ text: String) throws {
    #expect(try record(Attempt(event)).0.contains(text))
  }

  @Test func swapsNameBothHashes() throws {
    let old = SHA256.hash([1])
    let new = SHA256.hash([2])
    let line = try record(Attempt(.policySwap(from: old, to: new))).0
    #expect(line.contains(#""event":{"from":"\#(old.hex)","to":"\#(new.hex)"},"op":"policy-swap""#))
  }

  /// Paths, units and labels are the only free text: bounded, escaped, and never a second line.
  @Test func freeTextIsBoundedAndEscaped() throws {
    let nasty = String(repeating: "\u{1}", count: 9000)
    let caller = Caller(
      uid: 1, gid: 1, pid: 1, unit: "a\"b\\c\nd\u{1B}[31m", executable: "/" + nasty)
    let facts = RequestFacts(
      .known(.ping), id: 1, caller: caller, label: String(repeating: "é", count: 500),
      policy: TestLog.policy)
    let (line, record) = try record(Attempt(facts, refused: .busy))
    #expect(line.utf8.count < 65_535)
    #expect(!line.contains("\n") && !line.contains("\u{1B}"))
    #expect(record.actor?.executable?.utf8.count == 4096)
    #expect(record.actor?.unit == "a\"b\\c\nd\u{1B}[31m")
    #expect(record.label == String(repeating: "é", count: 128))
    let human = HumanLine.text(record)
    #expect(!human.contains("\n") && !human.contains("\u{1B}"))
    #expect(human.contains(#"unit=a"b\u{5c}c\u{a}d\u{1b}[31m"#))
    #expect(test.verify().verdict == .good)
  }

  @Test func amountsThatJSONCannotCarryAreLeftOut() throws {
    let (line, _) = try record(
      Attempt(
        request(), allowed: try Grant.opening(key), .failed(.busy),
        inputs: Inputs(currency: 1, amount: .max)))
    #expect(line.contains(#""in":{"currency":1}"#))
  }

  @Test(arguments: [
    "", "{}", "[]", #"{"boot":"","op":"","prev":"","seq":0,"ts":"","v":1}"#,
    #"{"boot":"x","op":"x","prev":"\#(String(repeating: "0", count: 64))","seq":-1,"ts":"2027-01-15T08:00:00.000000Z","v":1}"#,
    #"{"boot":"x","op":"x","prev":"\#(String(repeating: "0", count: 62))","seq":1,"ts":"2027-01-15T08:00:00.000000Z","v":1}"#,
    #"{"boot":"x","op":"x","prev":"\#(String(repeating: "0", count: 64))","seq":1,"ts":"2027-01-32T08:00:00.000000Z","v":1}"#,
    #"{"boot":"x","op":"x","prev":"\#(String(repeating: "0", count: 64))","seq":1,"ts":"2027-01-15T08:00:00.000000Z","v":2}"#,
    #"{"boot":"x","op":"x","prev":"\#(String(repeating: "0", count: 64))","seq":1,"ts":"2027-01-15T08:00:00.000000Z"}"#,
    #"{"boot":"x","in":{"transaction":"abc"},"op":"x","prev":"\#(String(repeating: "0", count: 64))","seq":1,"ts":"2027-01-15T08:00:00.000000Z","v":1}"#,
    #"{"boot":"x","key":"00","op":"x","prev":"\#(String(repeating: "0", count: 64))","seq":1,"ts":"2027-01-15T08:00:00.000000Z","v":1}"#,
  ])
  func linesThatAreNoRecordsAreRefused(_ line: String) {
    #expect(throws: CanonicalJSONError.self) { try Record(parsing: Array(line.utf8).span) }
  }

  @Test func laterMembersArePassedOver() throws {
    let zeros = String(repeating: "0", count: 64)
    let line =
      #"{"boot":"x","new":{"a":[1]},"op":"later","prev":"\#(zeros)","seq":7,"ts":"2027-01-15T08:00:00.000000Z","v":1}"#
    let record = try Record(parsing: Array(line.utf8).span)
    #expect(record.sequence == 7)
    #expect(record.opcode == nil)
  }
}

@Suite struct KeyedDigestTests {
  init() throws { try #require(TestArena.ready) }

  private func key(_ byte: UInt8, count: Int = 32) throws -> DigestKey {
    try DigestKey(SecretBuffer(copying: [UInt8](repeating: byte, count: count).span))
  }

  /// [AUD-REC-5]
  @Test func digestsDependOnKeyFieldAndValue() throws {
    let digest = try key(1).digest(.transaction, of: Array("abc".utf8).span)
    // python3: hmac.new(b"\1"*32, b"transaction\0abc", "sha256").hexdigest()
    #expect(
      digest.text == "hmac-sha256:8ee2616f7c1453ce00f402b43b8bfdb4bbf26c9ff4013b73f7548bedc27a245e")
    #expect(KeyedDigest(digest.text) == digest)
    #expect(try key(1).digest(.transaction, of: Array("abc".utf8).span) == digest)
    #expect(try key(2).digest(.transaction, of: Array("abc".utf8).span) != digest)
    #expect(try key(1).digest(.pan, of: Array("abc".utf8).span) != digest)
    #expect(try key(1).digest(.transaction, of: Array("abd".utf8).span) != digest)
  }

  @Test(arguments: [0, 16, 31, 33])
  func keysOfOtherSizesAreRefused(_ count: Int) {
    #expect(throws: CryptoError.invalidKey) { try key(1, count: count) }
  }

  @Test(arguments: [
    "", "hmac-sha256:", "sha256:" + String(repeating: "0", count: 64),
    "hmac-sha256:" + String(repeating: "A", count: 64),
  ])
  func otherTextsAreNoDigests(_ text: String) { #expect(KeyedDigest(text) == nil) }
}

@Suite struct ProofValueTests {
  @Test func anAttemptThatIsDroppedTraps() async {
    await #expect(processExitsWith: .failure) { _ = Attempt(.keyStoreLocked) }
  }

  @Test func aBatchThatIsDroppedTraps() async {
    await #expect(processExitsWith: .failure) { _ = Batch(Attempt(.keyStoreLocked)) }
  }

  @Test func anEmptyBatchMayGo() async {
    await #expect(processExitsWith: .success) { _ = Batch() }
  }
}
