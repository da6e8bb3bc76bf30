import Audit
import Configuration
import Crypto
import Format
import Host
import Policy
import Review
import TestSupport
import Testing

@Suite("Recorded requests under other policies")
struct TrafficTests {
  private static let accounts = Accounts(
    uid: { _ in nil }, gid: { _ in nil },
    groups: { name in [99] + (UInt32(name.dropFirst()).map { [10 + $0 % 2] } ?? []) },
    userName: { "u\($0)" })

  private func policy(_ text: String) throws -> Policy {
    try PolicyDirectory.locate(
      [.init(file: "FILE", text: Array(text.utf8))], accounts: Self.accounts
    ).policy
  }

  private func simulate(_ new: Policy, _ log: RecordedLog) throws -> PolicySimulation {
    var simulation = PolicySimulation(new)
    try log.forEach(Self.accounts) { simulation.replay($0) }
    return simulation
  }

  private func suggest(_ log: RecordedLog, rates: Bool = false) throws -> Policy {
    var suggestion = PolicySuggestion()
    try log.forEach(Self.accounts) { suggestion.add($0) }
    var peaks = PeakUse(try Policy(suggestion.rules(Self.accounts)))
    if rates { try log.forEach(Self.accounts) { peaks.replay($0) } }
    // Written, and read again as the daemon would.
    return try policy(Policy(suggestion.rules(Self.accounts, rate: peaks.rate)).canonicalText)
  }

  private let shop =
    "[[grant]]\nid = \"shop\"\nusers = [1]\noperations = [\"open-payment-token\"]\nkeys = [\"m/*\"]\nrelease = [\"last4\", \"dpan\"]\n"
  private let caller = Caller(uid: 1, gid: 99, pid: 5, unit: "shop.service")

  @Test("come out as they did under the policy that decided them")
  func same() throws {
    let old = try policy(shop)
    let log = try RecordedLog()
    try log.add(old, caller, .openPaymentToken, "m/a", released: [.last4])
    try log.add(old, caller, .random, nil)
    let simulation = try simulate(old, log)
    #expect(simulation.requestCount == 2)
    #expect(simulation.findings.isEmpty)
  }

  @Test("show what would have been refused, released less and allowed anew")
  func differences() throws {
    let old = try policy(shop)
    let log = try RecordedLog()
    for _ in 0..<3 {
      try log.add(old, caller, .openPaymentToken, "m/a", released: [.last4, .dpan])
    }
    try log.add(old, caller, .openPaymentToken, "m/b", released: [.last4])
    try log.add(old, caller, .random, nil)
    let new = try policy(
      shop.replacing("m/*", with: "m/a").replacing(", \"dpan\"", with: "")
        + "[[grant]]\nid = \"r\"\nusers = [1]\noperations = [\"random\"]\n")
    let simulation = try simulate(new, log)
    #expect(simulation.takesAway)
    #expect(
      simulation.findings.map(\.outcome) == [
        .releasesLess(["dpan"]), .refused(.noGrant), .newlyAllowed(grant: "r"),
      ])
    #expect(simulation.findings.map(\.count) == [3, 1, 1])
    #expect(simulation.findings[0].lastSequence == simulation.findings[0].firstSequence + 2)
    #expect(simulation.findings.map(\.label) == ["m/a", "m/b", nil])
  }

  @Test("count against rates and quotas, by the time of their records")
  func limits() throws {
    let old = try policy(shop)
    let log = try RecordedLog()
    for seconds in [0, 1, 2, 3, 90_000] {
      try log.add(
        old, caller, .openPaymentToken, "m/a", released: [],
        at: Universe.friday.adding(seconds: Int64(seconds)))
    }
    #expect(try simulate(policy(shop + "quota = \"3/d\"\n"), log).findings.map(\.count) == [1])
    #expect(try simulate(policy(shop + "quota = \"4/d\"\n"), log).findings.isEmpty)
    #expect(try simulate(policy(shop + "rate = \"1/s\"\n"), log).findings.isEmpty)
    #expect(try simulate(policy(shop + "rate = \"1/m\"\n"), log).findings.map(\.count) == [3])
    let friday = try simulate(policy(shop + "hours = [\"fri 00:00-24:00\"]\n"), log)
    #expect(
      friday.findings.map(\.outcome) == [
        .outsideHours(
          grant: "shop", Validity(hours: [try #require(WeeklyHours("fri 00:00-24:00"))]))
      ])
    #expect(friday.takesAway)
    // Where more than the time is missing, the time is no reason.
    let others =
      shop.replacing("users = [1]", with: "users = [2]") + "hours = [\"fri 00:00-24:00\"]\n"
    #expect(try simulate(policy(others), log).findings.map(\.outcome) == [.refused(.noGrant)])
  }

  @Test("leave out what no policy decided")
  func undecided() throws {
    let log = try RecordedLog()
    try log.add(Attempt(.keyStoreLocked))
    try log.add(
      Attempt(
        RequestFacts(.known(.random), id: 1, caller: caller, policy: SHA256.hash([])),
        refused: .malformed))
    for denial in [Denial.unknownKey, .wrongSocket] {
      try log.add(
        Attempt(
          RequestFacts(.known(.lock), id: 1, caller: caller, policy: SHA256.hash([])),
          denied: denial))
    }
    #expect(try simulate(.empty, log).requestCount == 0)
    #expect(try suggest(log).rules.isEmpty)
  }

  @Test("[OP-DIGEST-2] become a limited grant where the operation must have a limit, and only then")
  func suggestedLimit() throws {
    let old = try policy(
      "[[grant]]\nid = \"audit\"\nusers = [1]\noperations = [\"audit-digest\", \"describe\"]\nrate = \"5/s\"\n"
    )
    let log = try RecordedLog()
    try log.add(old, caller, .auditDigest, nil)
    try log.add(old, caller, .describe, nil)
    let rules = try suggest(log).rules
    #expect(rules.map(\.operations) == [[.describe], [.auditDigest]])
    #expect(rules.map { $0.rate?.description } == [nil, "20/h"])
  }

  @Test("[OP-ENV-1] become grants that seal what was sealed, and release what a grant can")
  func suggestedEnvelope() throws {
    let old = try policy(
      shop.replacing("\"last4\", \"dpan\"", with: "\"last4\", \"envelope\"")
        + "envelope = [\"dpan\", \"eci\"]\n"
        + "[[grant]]\nid = \"vault\"\nusers = [1]\noperations = [\"tokenise\", \"open-envelope\"]\nkeys = [\"v\"]\nrelease = [\"dpan\", \"amount\"]\nrate = \"9/s\"\n"
    )
    let log = try RecordedLog()
    var inputs = Inputs()
    inputs.sealed = ReleasedFields([.dpan])
    try log.add(
      old, caller, .openPaymentToken, "m/a", released: [.last4, .envelope], inputs: inputs)
    try log.add(old, caller, .openEnvelope, "v", released: [.dpan])
    // What tokenise makes needs no release, though the record names it.
    try log.add(old, caller, .tokenise, "v", released: [.surrogate])
    #expect(try simulate(old, log).findings.isEmpty)
    let rules = try suggest(log).rules
    #expect(rules.map(\.operations) == [[.openPaymentToken], [.tokenise], [.openEnvelope]])
    #expect(
      rules.map(\.released) == [ReleasedFields([.last4, .envelope]), [], ReleasedFields([.dpan])])
    #expect(rules.map(\.sealed) == [ReleasedFields([.dpan]), [], []])
  }

  @Test("[OP-ENV-1] tell apart policies that seal other fields")
  func sealedTerms() throws {
    let sealing = shop.replacing("\"dpan\"", with: "\"envelope\"")
    let old = try policy(sealing + "envelope = [\"dpan\"]\n")
    let new = try policy(sealing + "envelope = [\"dpan\", \"cryptogram\"]\n")
    let question = Question(caller, .openPaymentToken, label: "m/a", at: Universe.friday)
    guard case .allowed(_, let before) = old.answer(question),
      case .allowed(_, let after) = new.answer(question)
    else {
      Issue.record("denied")
      return
    }
    #expect(
      after.words(insteadOf: before) == ["seals cryptogram too"]
        && before.words(insteadOf: after) == ["no longer seals cryptogram"])
    #expect(after.words == ["releases last4, envelope", "seals dpan, cryptogram"])
  }

  @Test("keep operators' grants in force as they are, and the groups that a grant in force names")
  func suggestionInForce() throws {
    let inForce = try policy(
      """
      [[grant]]
      id = "staff"
      groups = [11]
      operations = ["random", "describe"]
      [[grant]]
      id = "operators"
      users = [5]
      operations = ["unlock", "lock", "retire-key", "approve"]
      keys = ["*"]
      stages = true
      """)
    let log = try RecordedLog()
    let members = [1, 3].map { Caller(uid: $0, gid: 99, groups: [11], pid: 5) }
    for member in members { try log.add(inForce, member, .random, nil) }
    try log.add(inForce, Caller(uid: 5, gid: 99, pid: 5), .lock, nil)
    var suggestion = PolicySuggestion(inForce: inForce)
    try log.forEach(Self.accounts) { suggestion.add($0) }
    let suggested = try Policy(suggestion.rules(Self.accounts))
    #expect(suggested.rules.map(\.id) == ["group-11-random", "operators"])
    #expect(suggested.rules[0].callers == inForce.rules[0].callers)
    #expect(suggested.rules[0].operations == [.random])
    #expect(suggested.rules[1] == inForce.rules[1])
    #expect(try simulate(suggested, log).findings.isEmpty)
    #expect(LockOut.all(in: suggested).isEmpty)
    // Without the policy in force, only what was used is known.
    #expect(LockOut.all(in: try suggest(log)) == [.unlock])
  }

  @Test("are just what a suggestion allows")
  func suggestion() throws {
    let old = try policy(
      shop
        + "[[grant]]\nid = \"wide\"\nusers = [1]\noperations = [\"list-keys\", \"describe-key\", \"verify-payment-token\", \"describe\", \"random\"]\nkeys = [\"*\"]\n"
    )
    let log = try RecordedLog()
    try log.add(old, caller, .openPaymentToken, "m/a", released: [.last4])
    try log.add(old, caller, .openPaymentToken, "m/b", released: [.dpan])
    try log.add(old, caller, .openPaymentToken, "m/c", released: [.dpan])
    try log.add(old, caller, .describe, nil)
    try log.add(old, caller, .random, nil)
    try log.add(old, caller, .listKeys, nil)
    try log.add(old, caller, .unlock, nil)
    #expect(
      try suggest(log).canonicalText == """
        # kist policy, canonical form 1

        [[grant]]
        id = "shop-describe"
        users = [1]
        units = ["shop.service"]
        operations = ["describe", "random"]

        [[grant]]
        id = "shop-list-keys"
        users = [1]
        units = ["shop.service"]
        operations = ["list-keys"]
        keys = ["m/a", "m/b", "m/c"]

        [[grant]]
        id = "shop-open-payment-token"
        users = [1]
        units = ["shop.service"]
        operations = ["open-payment-token"]
        keys = ["m/b", "m/c"]
        release = ["dpan"]

        [[grant]]
        id = "shop-open-payment-token-2"
        users = [1]
        units = ["shop.service"]
        operations = ["open-payment-token"]
        keys = ["m/a"]
        release = ["last4"]

        """)
  }

  @Test(
    "[AUD-REC-4] suggest a policy that can be loaded, whatever their units and keys are called",
    arguments: [
      "we\"b.service", #"we\x2d"b\.service"#, "..service", "....scope", "]] # x.service",
      "a b.service", "\u{212A}.service",
    ])
  func oddNames(_ unit: String) throws {
    let old = try policy(
      "[[grant]]\nid = \"all\"\nusers = [1]\noperations = [\"random\", \"open-payment-token\"]\nkeys = [\"*\"]\nrelease = [\"last4\"]\n"
    )
    let log = try RecordedLog()
    for unit in [
      unit, "plain.service", "a\nb.service", "\"\u{301}.service", "é.service", "",
      String(repeating: "a.", count: 300),
    ] {
      try log.add(old, Caller(uid: 1, gid: 99, pid: 5, unit: unit), .random, nil)
    }
    for label in ["m/*", "m//a", "\"\n", "m/a"] {
      try log.add(old, caller, .openPaymentToken, label, released: [.last4])
    }
    var suggestion = PolicySuggestion()
    try log.forEach(Self.accounts) { suggestion.add($0) }
    let suggested = try suggest(log)
    let isPlain = unit.utf8.allSatisfy { $0 < 0x80 }
    #expect(
      Set(suggested.rules.flatMap(\.callers.units)).isSuperset(
        of: ["plain.service", "shop.service"] + (isPlain ? [unit] : [])))
    #expect(suggested.rules.flatMap(\.keys) == [.label("m/a")])
    #expect(
      suggestion.unfitNames.isSuperset(of: [
        "unit a\nb.service", "unit é.service", "unit ", "key m/*", "key m//a", "key \"\n",
      ]))
    #expect(suggestion.unfitNames.contains("unit \(unit)") == !isPlain)
    // What is left out of a unit's name is not left out of its user's rights.
    #expect(
      try simulate(suggested, log).findings.allSatisfy { $0.label != nil && $0.label != "m/a" })
  }

  @Test("are let through by rates of twice their peaks, and a quarter of that refuses some")
  func rates() throws {
    let old = try policy(shop)
    let log = try RecordedLog()
    var random = SplitMix64(seed: 60)
    var time = Universe.friday
    for _ in 0..<300 {
      time = time.adding(
        seconds: Int64.random(in: 0...8, using: &random) == 0
          ? 90 : Int64.random(in: 0...2, using: &random))
      try log.add(old, caller, .openPaymentToken, "m/a", released: [.last4], at: time)
    }
    let suggested = try suggest(log, rates: true)
    #expect(try simulate(suggested, log).findings.isEmpty)
    let rate = try #require(suggested.rules.first?.rate)
    func limited(_ count: Int64) throws -> Policy {
      try policy(
        suggested.canonicalText.replacing("rate = \"\(rate)\"", with: "rate = \"\(count)/m\""))
    }
    #expect(try simulate(limited(rate.count / 2), log).findings.isEmpty)
    #expect(try simulate(limited(rate.count / 4), log).takesAway)
  }

  @Test(
    "never miss anything under what is suggested for them, and nothing of that is unreachable",
    arguments: 0..<12)
  func suggestionSuffices(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let old = try Universe.policy(&random, count: 8)
    let log = try RecordedLog()
    let questions = Universe.questions(at: [Universe.friday])
    for _ in 0..<120 {
      guard let question = questions.randomElement(using: &random) else { return }
      // The record has no groups; the accounts know them.
      let uid = question.caller.uid
      let caller = Caller(
        uid: uid, gid: 99, groups: [10 + uid % 2], pid: 3, unit: question.caller.unit)
      let fields = [ReleasedField.last4, .network].filter { _ in Bool.random(using: &random) }
      try log.add(
        old, caller, question.opcode, question.opcode == .listKeys ? nil : question.label,
        released: fields)
    }
    #expect(try simulate(old, log).findings.isEmpty)
    let suggested = try suggest(log)
    let simulation = try simulate(suggested, log)
    #expect(simulation.findings.isEmpty)
    #expect(!simulation.takesAway)
    #expect(GrantFinding.all(in: suggested, around: Universe.friday).isEmpty)
    // Least privilege: the old policy gives everything that the suggested one gives.
    let gains = try PolicyChange.all(from: old, to: suggested, around: Universe.friday).filter {
      if case .gains = $0.effect { true } else { false }
    }
    for gain in gains { #expect(gain.who.user != nil, "a group's right became its member's") }
  }
}

/// A log in memory with what policies decided.
final class RecordedLog {
  private let directory: LogDirectory
  private let log: AuditLog
  private let clock = Clock()

  final class Clock: @unchecked Sendable { var now = Universe.friday }

  init() throws {
    try #require(TestArena.ready)
    let disk = SimulatedDisk()
    try disk.makeDirectory("/audit", mode: 0o700)
    directory = LogDirectory("/audit", on: disk)
    let signer = try NoteSigner(
      name: "kist.test/audit", key: PrivateKey(ed25519Seed: [UInt8](repeating: 7, count: 32).span))
    let settings = AuditSettings(
      boot: try #require(BootID(String(repeating: "0", count: 32))), clock: { [clock] in clock.now }
    )
    let digest = SHA256.hash([])
    log = try AuditLog(
      directory, signer: signer, start: StartFacts(policy: digest, configuration: digest),
      settings: settings)
  }

  func add(_ attempt: consuming Attempt) throws { _ = try log.commit(Batch(attempt)) }

  func add(
    _ policy: Policy, _ caller: Caller, _ opcode: Opcode, _ label: String?,
    released: [ReleasedField] = [], inputs: Inputs = Inputs(),
    at time: Timestamp = Universe.friday
  ) throws {
    clock.now = time
    let key = label.map { KeyTarget(id: KeyID(high: 1, low: UInt64($0.utf8.count)), label: $0) }
    let facts = RequestFacts(
      .known(opcode), id: 1, caller: caller, key: key?.id, label: label, policy: SHA256.hash([]))
    let moment = Moment(time, MonotonicTime(nanoseconds: time.microseconds * 1000))
    switch policy.covering(caller, opcode, key: key.map(NamedKey.known) ?? .none).decide(
      at: moment, limits: UseLimits())
    {
    case .deny(let denial): try add(Attempt(facts, denied: denial))
    case .allow(let grant):
      let fields =
        opcode == .tokenise
        ? ReleasedFields(released)
        : ReleasedFields(released.filter { grant.released.fields.contains($0) })
      try add(Attempt(facts, allowed: grant, .done(released: fields), inputs: inputs))
    }
  }

  func forEach(_ accounts: Accounts, _ visit: (RecordedRequest) -> Void) throws {
    let callers = RecordedCallers(accounts)
    try log.reader.forEachRecord { record, _ in
      if let request = RecordedRequest(record, callers) { visit(request) }
      return true
    }
  }

  deinit { try? log.close() }
}
