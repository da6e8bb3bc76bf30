import Crypto
import Format
import Policy
import TestSupport
import Testing

@testable import Audit

/// A record from a template is byte for byte what it would be without.
@Suite struct RecordTemplatesTests {
  private static let key = KeyTarget(
    id: KeyID(high: .max, low: 7), label: "merchant/acme/processing-2026")
  private static let hostile =
    "a\"b\\c\n\u{0}\u{1B}[31m\u{7F}é\u{2028}\u{1F600}" + String(repeating: "\u{1}", count: 300)
  private static let ids: [UInt64] = [0, 0x0123_4567_89AB_CDEF, .max]

  init() throws { try #require(TestArena.ready) }

  private struct Case {
    let caller: Caller
    let rule: Rule
    let opcode: Opcode
    let key: KeyTarget?

    init(_ caller: Caller, _ rule: Rule, _ opcode: Opcode, _ key: KeyTarget? = nil) {
      self.caller = caller
      self.rule = rule
      self.opcode = opcode
      self.key = key
    }

    func grant() throws -> Grant {
      try Grant.of(rule, caller, opcode, key.map(NamedKey.known) ?? .none)
    }

    func facts(_ id: UInt64) -> RequestFacts {
      RequestFacts(
        .known(opcode), id: id, caller: caller, key: key?.id, label: key?.label,
        policy: TestLog.policy)
    }
  }

  private static func cases() throws -> [Case] {
    let opener = try Rule(
      id: "shop", callers: CallerRule(users: [Principal(id: 1000)]),
      operations: [.openPaymentToken], keys: [#require(KeyPattern("*"))])
    let team = try Rule(
      id: "team",
      callers: CallerRule(
        groups: [Principal(id: 5), Principal(id: 100, name: hostile)], units: ["shop.service"]),
      operations: [.random, .sign],
      keys: [#require(KeyPattern("*"))])
    let member = Caller(
      uid: 400_005, gid: 100, groups: [901], pid: .max, unit: "shop.service",
      executable: "/" + hostile, name: hostile, ownerName: "o\u{1B}")
    return [
      Case(TestLog.caller, opener, .openPaymentToken, key), Case(member, team, .random),
      Case(member, team, .sign, key),
      Case(
        member, team, .sign,
        KeyTarget(id: KeyID(high: 0, low: 1), label: String(hostile.filter(\.isASCII)))),
    ]
  }

  private static let outcomes: [Audit.Outcome] = [
    .done(released: []),
    .done(
      released: ReleasedFields(ReleasedField.allCases),
      secrets: ReleasedSecrets(ReleasedSecret.allCases)),
    .done(released: [], secrets: ReleasedSecrets(ReleasedSecret.allCases)), .rejected(.signature),
    .failed(.busy), .failed(.malformed),
  ]

  /// One for each field that a record can have, and one with all of them.
  private static func inputs() throws -> [Inputs] {
    let digest = SHA256.hash([9])
    let note = try #require(ReviewNote("seen, and \"found\" good"))
    let setters: [(inout Inputs) -> Void] = [
      { $0.transaction = KeyedDigest(digest) }, { $0.envelope = KeyedDigest(digest) },
      { $0.sealed = .sealable }, { $0.pan = KeyedDigest(digest) },
      { $0.subject = KeyedDigest(digest) }, { $0.partner = "partner/acquirer" },
      { $0.currency = 978 }, { $0.amount = .max }, { $0.activation = .passedThrough },
      { $0.field = .expiration }, { $0.required = .cryptogram },
      { $0.review = SignOff(TreeHead(size: 3, root: digest), .clean, note) },
      { $0.backup = Backup(digest: digest, generation: 12, keys: 9, needs: 7) },
      { $0.scheme = .rsaPSSSHA384 },
      { $0.ledger = 7 },
      { $0.drill = Drill(generation: 12, matched: 9, missing: 0, different: 0, surplus: 0) },
      { $0.share = [1, 2, 3, 4, 5] },
      { $0.retry = KeyedDigest(digest) }, { $0.retryOf = 7 }, { $0.retryHost = "rome" },
      { $0.claim = digest },
      { $0.local = LocalOpening(day: 20_254, retry: digest) },
      { $0.submitted = Timestamp(seconds: 1_799_999_000) },
      { $0.approval = Approval(request: "0badcafe", by: 7, byName: "b\"\n") },
    ]
    #expect(Mirror(reflecting: Inputs()).children.count == setters.count)
    var all = Inputs()
    for set in setters { set(&all) }
    return setters.map { set in
      var one = Inputs()
      set(&one)
      return one
    } + [all]
  }

  private func line(_ attempt: consuming Attempt) throws -> String {
    let boot = try #require(BootID("0123456789abcdef0123456789abcdef"))
    let stamp = try #require(Draft.Stamp(boot: boot, time: Timestamp(seconds: 1_800_000_000)))
    let draft = attempt.handOver()
    // Whatever was written before stays.
    var text = Array("before\n".utf8)
    for sequence in [0, 9, 1 << 53 - 1] as [UInt64] {
      draft.append(to: &text, sequence: sequence, previous: SHA256.hash([3]), stamp: stamp)
      text.append(0x0A)
    }
    #expect(text.count <= 7 + 3 * (draft.byteCount + 1))
    return String(decoding: text, as: UTF8.self)
  }

  @Test func aTemplateChangesNoByte() throws {
    for one in try Self.cases() {
      var templates = RecordTemplates()
      for inputs in try [nil] + Self.inputs() {
        for outcome in Self.outcomes {
          for furtherKeys in [[], [KeyID(high: 1, low: 2)]] {
            for id in Self.ids {
              let plain = try line(
                Attempt(
                  one.facts(id), allowed: one.grant(), outcome, inputs: inputs,
                  furtherKeys: furtherKeys))
              let kept = try line(
                templates.attempt(
                  id, allowed: one.grant(), outcome, inputs: inputs, furtherKeys: furtherKeys
                ) { one.facts(id) })
              #expect(plain == kept)
            }
          }
        }
      }
    }
  }

  /// Each test above asks policy anew, so its templates are always made anew; here one grant after
  /// the other is of one covering.
  @Test func whatIsKeptIsUsedAndChangesNoByte() throws {
    for one in try Self.cases() {
      var templates = RecordTemplates()
      let covering = try Policy([one.rule]).covering(
        one.caller, one.opcode, key: one.key.map(NamedKey.known) ?? .none)
      var asked = 0
      for inputs in try [nil, nil] + Self.inputs() {
        for outcome in Self.outcomes {
          for id in Self.ids {
            let plain = try line(
              Attempt(one.facts(id), allowed: one.grant(), outcome, inputs: inputs))
            let grant = try granted(covering)
            let kept = try line(
              templates.attempt(id, allowed: grant, outcome, inputs: inputs, furtherKeys: []) {
                asked += 1
                return one.facts(id)
              })
            #expect(plain == kept)
            #expect(templates.count <= RecordTemplates.capacity)
          }
        }
      }
      #expect(asked == 1)
    }
  }

  /// Under another rule the record names that rule.
  @Test func anotherGrantIsNamed() throws {
    let one = try Self.cases()[1]
    let other = try Rule(
      id: "other", callers: CallerRule(users: [Principal(id: 400_005)]), operations: [.random])
    var templates = RecordTemplates()
    for rule in [one.rule, other, one.rule] {
      let covering = try Policy([rule]).covering(one.caller, .random, key: .none)
      for _ in 0..<2 {
        let grant = try granted(covering)
        let text = try line(
          templates.attempt(1, allowed: grant, .done(released: []), inputs: nil, furtherKeys: []) {
            one.facts(1)
          })
        #expect(text.contains(#""grant":"\#(rule.id)""#))
      }
    }
  }

  private func granted(_ covering: CoveringRules) throws -> Grant {
    let decision = covering.decide(
      at: Moment(Timestamp(seconds: 0), MonotonicTime(nanoseconds: 0)), limits: UseLimits())
    switch consume decision {
    case .allow(let grant): return grant
    case .deny: throw TestFailure()
    }
  }
}
