import Configuration
import Format
import Foundation
import Policy
import TestSupport
import Testing

/// What kistd hands to kistd-keys: everything arrives as it was read, and nothing that kistd would
/// not have written.
@Suite struct SettingsFrameTests {
  private static let accounts = Accounts(
    uid: { ["kist": 900, "acme": 1001, "root": 0][$0] }, gid: { ["clients": 2001][$0] })

  private static let configuration = """
    state_directory = "/srv/kist"
    [service]
    socket = "/srv/s"
    owner = 0
    group = "clients"
    mode = "0666"
    [policy]
    slices = ["system.slice", "machine.slice"]
    [audit]
    origin = "acme.example/kist"
    genesis = "abababababababababababababababababababababababababababababababab"
    segment_age = "1d"
    [backup]
    directory = "/srv/copies"
    restored = "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"
    [key_store]
    destroyed_retention = "0s"
    [limits]
    refusals = "20/s"
    frame_timeout = "250ms"
    [process]
    user = "kist"
    [unlock]
    credential = "kist-kek"
    [apple_pay]
    merchant_issuers = ["/srv/issuer.cer"]
    [[merchant]]
    identifier = "merchant.com.acme"
    freshness_window = "60s"
    retry_window = "0s"
    surrogate_key = "merchant/acme/surrogate"
    surrogate_format = { prefix = "90", length = 24, luhn = "pass", first = 6 }
    envelope_key = "merchant/acme/envelope"
    envelope_one_use = true
    claims = "local"
    [provisioning]
    intermediate_marker = "1.2.840.113635.100.6.2.15"
    [key_exchange]
    old_blocks = ["B"]
    [operators]
    approval = ["export-key", "back-up"]
    [fleet]
    host = "paris-1"
    key = "fleet/2026"
    user = "kist"
    home_keys = ["codes/1"]
    """

  private static let grants = """
    [[grant]]
    id = "first"
    users = ["root", 1001]
    groups = ["clients"]
    units = ["acme.service"]
    operations = ["open-payment-token", "ecdh"]
    keys = ["merchant/acme/*", "agreement/1"]
    release = ["last4", "envelope", "shared-secret"]
    envelope = ["dpan", "amount"]
    stages = true
    approval = true
    rate = "100/s"
    quota = "5000/d"
    key_quota = "20000/w"
    from = "2026-12-01"
    until = "2027-12-01T09:30:00Z"
    hours = ["mon-fri 08:00-18:00", "22:00-24:00"]

    [[grant]]
    id = "second"
    users = ["acme"]
    operations = ["random"]
    """

  private static let table = AccountTable(
    users: [UserRow(uid: 0, name: "root"), UserRow(uid: 900, name: "kist")],
    groups: [GroupRow(gid: 0, members: []), GroupRow(gid: 2001, members: [0, 900])],
    subordinates: [SubordinateRow(100_000...165_535, of: 900)])

  private func frame(
    _ configuration: String = configuration, _ grants: String = grants,
    _ table: AccountTable = table
  ) throws -> SettingsFrame {
    let policy = try PolicyDirectory.locate(
      [.init(file: "FILE", text: Array(grants.utf8))], accounts: Self.accounts
    ).policy
    return SettingsFrame(
      try .decode(Array(configuration.utf8), file: "FILE", accounts: Self.accounts), policy, table)
  }

  @Test("every setting, grant and account arrives as it was read") func arrives() throws {
    let sent = try frame()
    let bytes = try sent.encoded()
    let read = try SettingsFrame(canonical: bytes)
    #expect(try read.encoded() == bytes)
    #expect(try read.policy().rules == sent.policy().rules)
    #expect(try read.policy().canonicalText == sent.policy().canonicalText)
    #expect(read.accounts == Self.table)
    let a = sent.configuration
    let b = read.configuration
    #expect(
      b.service.owner?.id == 0 && b.service.group == Principal(id: 2001) && b.service.mode == 0o666
        && b.admin.owner == nil)
    #expect(
      b.audit.genesis == a.audit.genesis && b.audit.lostWith == nil
        && b.audit.segmentAge == .seconds(86_400))
    #expect(
      b.destroyedRetention == .zero && b.limits.refusals == a.limits.refusals
        && b.limits.frameTimeout == .milliseconds(250))
    #expect(
      b.unlock == .systemd("kist-kek")
        && b.merchants[0].surrogateFormat == a.merchants[0].surrogateFormat)
    #expect(
      b.merchants[0].retryWindow == .zero && b.merchants[0].opensLocally
        && b.merchants[0].envelopeOpensOnce)
    #expect(
      b.fleet?.host == "paris-1" && b.operators.approval == [.exportKey, .backUp]
        && b.sandbox == nil)
  }

  @Test("the smallest configuration, and a sandbox's with a clock") func smallest() throws {
    let least = try frame("audit.origin = \"o\"", "", AccountTable())
    #expect(try SettingsFrame(canonical: least.encoded()).policy().rules.isEmpty)
    let sandbox = try frame(
      "audit.origin = \"o\"\n[sandbox]\nrehearsal = true\ntrust_anchor = \"/r\"\nclock = \"2026-11-20T09:30:00Z\"",
      "", AccountTable())
    let read = try SettingsFrame(canonical: sandbox.encoded())
    #expect(
      read.configuration.sandbox?.clock == Timestamp("2026-11-20T09:30:00Z")
        && read.configuration.operators.approval.isEmpty)
  }

  @Test(
    "refused: bytes left over, cut off, in another order, written in another way, and an unknown field"
  ) func otherForms() throws {
    let bytes = try frame().encoded()
    for other in [
      bytes + [0], Array(bytes.dropLast()), bytes + bytes, Array(bytes.dropFirst()),
      bytes + [0x22, 0],
    ] {
      #expect(throws: WireError.self) { try SettingsFrame(canonical: other) }
    }
    #expect(throws: WireError.self) { try SettingsFrame(canonical: []) }
  }

  /// In proto/vectors/settings, as hexadecimal digits: what another build of kistd would hand over.
  @Test(
    "golden vectors: each is read, and written again as it stands",
    arguments: ["whole", "least", "sandbox"])
  func golden(_ name: String) throws {
    let text = try String(
      contentsOf: Repository.root.appending(path: "proto/vectors/settings/\(name).hex"),
      encoding: .utf8)
    let bytes = Self.octets(text)
    let made =
      switch name {
      case "whole": try frame()
      case "least": try frame("audit.origin = \"o\"", "", AccountTable())
      default:
        try frame(
          "audit.origin = \"o\"\n[sandbox]\nrehearsal = true\ntrust_anchor = \"/r\"\nclock = \"2026-11-20T09:30:00Z\"",
          "", AccountTable())
      }
    #expect(try made.encoded() == bytes)
    #expect(try SettingsFrame(canonical: bytes).encoded() == bytes)
  }

  private static func octets(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  /// By a kistd that somebody has taken over: no file says any of this.
  @Test(
    "refused: words that there are none of, a name that is there twice",
    arguments: [
      ("random", "rundom"), ("100/s", "100/x"), ("5000/d", "5000/h"),
      ("22:00-24:00", "22:00-25:00"), ("agreement/1", "agreement**"), ("other", "first"),
    ])
  func forged(_ honest: String, _ said: String) throws {
    let grants = Self.grants.replacing("\"second\"", with: "\"other\"")
    let bytes = try frame(Self.configuration, grants).encoded()
    let forged = bytes.replacing(Array(honest.utf8), with: Array(said.utf8))
    #expect(forged != bytes)
    #expect(throws: WireError.self) { try SettingsFrame(canonical: forged).policy() }
  }

  @Test("refused: sizes and paths that no file could have had, and ranges that go backwards")
  func values() throws {
    let changes: [(inout SettingsFrame) -> Void] = [
      { $0.configuration.memory.arenaSize = 3 << 20 },
      { $0.configuration.stateDirectory = "/" + String(repeating: "x", count: 5000) },
      { $0.accounts.subordinates[0].first = .max }, { $0.accounts.users[0].name = "" },
      { $0.configuration.fleet?.host = "Paris" }, { $0.configuration.fleet?.key = "fleet/*" },
    ]
    for change in changes {
      var frame = try frame()
      change(&frame)
      #expect(throws: WireError.self) { try SettingsFrame(canonical: frame.encoded()) }
    }
  }

  @Test("who belongs to a group, and whose a range is") func accounts() {
    let table = Self.table
    #expect(
      table.revoked([2001, 0, 3000], from: 900) == [0] && table.revoked([2001], from: 1001).isEmpty)
    #expect(
      table.ownership(of: 100_000) == .subordinate(of: 900)
        && table.ownership(of: 99_999) == .account)
    #expect(
      table.name(of: 900) == "kist" && table.uid(of: "kist") == 900 && table.name(of: 7) == nil)
  }
}
