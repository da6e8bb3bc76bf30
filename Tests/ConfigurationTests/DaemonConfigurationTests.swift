import Configuration
import Format
import Foundation
import Policy
import Testing

@Suite struct DaemonConfigurationTests {
  private func decode(_ text: String) throws -> DaemonConfiguration {
    try DaemonConfiguration.decode(Array(text.utf8), file: "FILE", accounts: accounts)
  }

  @Test func defaults() throws {
    let configuration = try decode("audit.origin = \"acme.example/kist\"")
    #expect(configuration.stateDirectory == "/var/lib/kist")
    #expect(configuration.service.path == "/run/kist/kist.sock")
    #expect(configuration.service.mode == 0o660)
    #expect(configuration.service.owner == nil)
    #expect(configuration.admin.path == "/run/kist/admin.sock")
    #expect(configuration.admin.mode == 0o600)
    #expect(configuration.policyDirectory == "/etc/kist/policy.d")
    #expect(configuration.audit.directory == "/var/log/kist/audit")
    #expect(configuration.audit.origin == "acme.example/kist")
    #expect(configuration.audit.segmentSize == 64 << 20)
    #expect(configuration.audit.genesis == nil)
    #expect(configuration.memory.arenaSize == 32 << 20)
    #expect(!configuration.memory.allowsMlockFallback)
    #expect(configuration.limits.connections == 128)
    #expect(configuration.limits.connectionsPerUser == 32)
    #expect(configuration.limits.inFlight == 32)
    #expect(configuration.limits.refusals.description == "600/m")
    #expect(configuration.limits.idleTimeout == .seconds(300))
    #expect(configuration.limits.frameTimeout == .seconds(5))
    #expect(configuration.process.user == nil)
    #expect(configuration.process.seccomp)
    #expect(configuration.process.landlock)
    #expect(configuration.unlock == nil)
    #expect(configuration.shareWindow == .seconds(900))
    #expect(configuration.applePay.freshnessWindow == .seconds(300))
    #expect(configuration.applePay.replayEntries == 1 << 20)
    #expect(configuration.applePay.trustAnchor == nil)
    #expect(configuration.merchants.isEmpty)
    #expect(
      configuration.operators.approval
        == [
          .exportKey, .attachCertificate, .activateKey, .retireKey, .compromiseKey, .destroyKey,
          .resumeKey, .swapPolicy, .backUp, .resetOTPLockout,
        ])
    #expect(configuration.operators.approvalTime == .seconds(900))
    #expect(configuration.provisioning.intermediateName == nil)
    #expect(configuration.provisioning.intermediateMarker == nil)
    #expect(configuration.provisioning.checksValidity)
    #expect(configuration.keyExchange.oldBlocks.isEmpty)
    #expect(configuration.fleet == nil)
    #expect(configuration.sandbox == nil)
  }

  private static let fleet = "[fleet]\nhost = \"paris-1\"\nkey = \"fleet/2026\"\nuser = 7\n"

  @Test("[FLEET-F3] a host of a fleet, and a merchant who is served while the store is away")
  func fleet() throws {
    func decode(_ more: String) throws -> DaemonConfiguration {
      try self.decode("audit.origin = \"o\"\n" + Self.fleet + more)
    }
    let configuration = try decode(
      "[[merchant]]\nidentifier = \"m\"\n[[merchant]]\nidentifier = \"n\"\nclaims = \"local\"\n")
    let fleet = try #require(configuration.fleet)
    #expect(
      fleet.host == "paris-1" && fleet.key == "fleet/2026" && fleet.user.id == 7
        && fleet.homeKeys.isEmpty)
    #expect(fleet.socket == "/run/kist/claims.sock" && fleet.timeout == .milliseconds(500))
    #expect(configuration.merchants.map(\.opensLocally) == [false, true])
    #expect(
      try decode("[[merchant]]\nidentifier = \"m\"\nclaims = \"store\"\n").merchants.map(
        \.opensLocally) == [false])
    let own = try #require(
      decode("socket = \"/s/c\"\ntimeout = \"2s\"\nhome_keys = [\"a/b\", \"c\"]\n").fleet)
    #expect(own.socket == "/s/c" && own.timeout == .seconds(2) && own.homeKeys == ["a/b", "c"])
  }

  @Test(
    "[FLEET-F3] what is wrong with a fleet",
    arguments: [
      ("host = \"Paris\"", "'host' is \"Paris\"; expected a name of at most 32 lower-case letters"),
      ("host = \"\"", "'host' is \"\""),
      ("host = \"\(String(repeating: "a", count: 33))\"", "expected a name of at most 32"),
      ("host = 1", "'host' is an integer"),
      ("key = \"fleet/*\"", "'key' is \"fleet/*\"; expected a key label"),
      ("user = \"nobody-here\"", "unknown user \"nobody-here\""),
      (
        "socket = \"/run/kist/kist.sock\"",
        "expected another path than those of [service] and [admin]"
      ),
      (
        "socket = \"/run/kist/admin.sock\"",
        "expected another path than those of [service] and [admin]"
      ), ("socket = \"claims.sock\"", "expected"),
      ("timeout = \"9ms\"", "'timeout' is \"9ms\"; expected a duration from 10ms to 10s"),
      ("timeout = \"11s\"", "expected a duration from 10ms to 10s"),
      ("home_keys = [\"a/*\"]", "'home_keys[0]' is \"a/*\"; expected a key label"),
      ("home_keys = \"a\"", "'home_keys' is a string"),
      (
        "peer = 1",
        "unknown key 'peer'; expected one of home_keys, host, key, socket, timeout, user"
      ),
    ])
  func fleetMistakes(_ line: String, _ complaint: String) {
    let name = line.prefix { $0 != " " }
    let others = Self.fleet.split(separator: "\n").filter { !$0.hasPrefix(name + " ") }.joined(
      separator: "\n")
    let found = Schema.daemon.complaint(
      about: "audit.origin = \"o\"\n" + others + "\n" + line + "\n")
    #expect(found?.contains(complaint) == true, "\(found ?? "nothing")")
  }

  @Test(arguments: ["host", "key", "user"]) func aFleetNeeds(_ name: String) {
    let others = Self.fleet.split(separator: "\n").filter { !$0.hasPrefix(name + " ") }.joined(
      separator: "\n")
    let found = Schema.daemon.complaint(about: "audit.origin = \"o\"\n" + others + "\n")
    #expect(found?.contains("'\(name)' is missing; expected") == true, "\(found ?? "nothing")")
  }

  @Test("[OP-BLOCK-2] versions of key blocks that may come besides D") func oldBlocks() throws {
    func oldBlocks(_ value: String) throws -> [String] {
      try decode("audit.origin = \"o\"\n[key_exchange]\nold_blocks = \(value)").keyExchange
        .oldBlocks
    }
    #expect(try oldBlocks("[\"B\"]") == ["B"])
    #expect(try oldBlocks("[\"C\", \"A\", \"B\"]") == ["C", "A", "B"])
    #expect(try oldBlocks("[]").isEmpty)
    for value in [
      "[\"D\"]", "[\"E\"]", "[\"b\"]", "[\"AB\"]", "[\"\"]", "[1]", "\"B\"", "[\"B\", \"B\"]",
    ] {
      #expect(throws: ConfigurationError.self, "\(value)") { try oldBlocks(value) }
    }
  }

  @Test func everything() throws {
    let configuration = try decode(
      """
      state_directory = "/srv/kist"
      [service]
      socket = "/srv/s"
      owner = "kist"
      group = 77
      mode = "0666"
      [admin]
      socket = "/srv/a"
      owner = 0
      group = "operators"
      mode = "0640"
      [policy]
      directory = "/srv/policy.d"
      [audit]
      directory = "/srv/audit"
      origin = "o"
      segment_size = "1GiB"
      genesis = "abababababababababababababababababababababababababababababababab"
      [memory]
      arena_size = "4096KiB"
      allow_mlock_fallback = true
      [limits]
      connections = 8
      connections_per_user = 8
      in_flight = 256
      idle_timeout = "1h"
      frame_timeout = "250ms"
      [process]
      user = "kist"
      group = "clients"
      seccomp = false
      landlock = false
      [unlock]
      credential = "/run/credentials/passphrase"
      share_window = "1h"
      [apple_pay]
      freshness_window = "2m"
      replay_entries = 1024
      merchant_issuers = ["/etc/kist/AppleWWDRCA-G9.cer"]
      trust_anchor = "/etc/kist/root.pem"
      [operators]
      approval = ["retire-key", "import-key"]
      approval_time = "2h"
      [provisioning]
      intermediate_name = "Another CA"
      intermediate_marker = "1.2.840.113635.100.6.2.99"
      check_validity = false
      [[merchant]]
      identifier = "merchant.com.acme"
      freshness_window = "120s"
      [[merchant]]
      identifier = "merchant.com.zeta"
      """)
    #expect(configuration.stateDirectory == "/srv/kist")
    #expect(configuration.service.owner?.id == 900)
    #expect(configuration.service.owner?.name == "kist")
    #expect(configuration.service.group?.id == 77)
    #expect(configuration.service.mode == 0o666)
    #expect(configuration.admin.path == "/srv/a")
    #expect(configuration.admin.owner?.id == 0)
    #expect(configuration.admin.group?.id == 2002)
    #expect(configuration.admin.mode == 0o640)
    #expect(configuration.policyDirectory == "/srv/policy.d")
    #expect(configuration.audit.segmentSize == 1 << 30)
    #expect(configuration.audit.genesis == String(repeating: "ab", count: 32))
    #expect(configuration.memory.arenaSize == 4 << 20)
    #expect(configuration.memory.allowsMlockFallback)
    #expect(configuration.limits.inFlight == 256)
    #expect(configuration.limits.idleTimeout == .seconds(3600))
    #expect(configuration.limits.frameTimeout == .milliseconds(250))
    #expect(configuration.process.group?.id == 2001)
    #expect(!configuration.process.seccomp)
    #expect(!configuration.process.landlock)
    #expect(configuration.unlock == .file("/run/credentials/passphrase"))
    #expect(configuration.shareWindow == .seconds(3600))
    #expect(configuration.applePay.trustAnchor == "/etc/kist/root.pem")
    #expect(configuration.operators.approval == [.retireKey, .importKey])
    #expect(configuration.operators.approvalTime == .seconds(7200))
    #expect(configuration.provisioning.intermediateName == "Another CA")
    #expect(configuration.provisioning.intermediateMarker == "1.2.840.113635.100.6.2.99")
    #expect(!configuration.provisioning.checksValidity)
    #expect(configuration.freshnessWindow(merchant: "merchant.com.acme") == .seconds(120))
    #expect(configuration.freshnessWindow(merchant: "merchant.com.zeta") == .seconds(120))
    #expect(configuration.freshnessWindow(merchant: "merchant.com.other") == .seconds(120))
  }

  @Test func aMerchantsOwnWindowCounts() throws {
    let configuration = try decode(
      "audit.origin = \"o\"\n[[merchant]]\nidentifier = \"merchant.com.acme\"\nfreshness_window = \"30s\"\n"
    )
    #expect(configuration.freshnessWindow(merchant: "merchant.com.acme") == .seconds(30))
    #expect(configuration.freshnessWindow(merchant: "merchant.com.acme.eu") == .seconds(300))
  }

  @Test(
    "[OP-OPEN-11] how long an opening can be repeated: two minutes, for some merchants longer or not at all"
  ) func retryWindow() throws {
    func windows(_ text: String) throws -> [Duration?] {
      let configuration = try decode("audit.origin = \"o\"\n" + text)
      return [configuration.applePay.retryWindow] + configuration.merchants.map(\.retryWindow)
    }
    let merchant = "[[merchant]]\nidentifier = \"merchant.com.acme\"\n"
    #expect(try windows("") == [.seconds(120)])
    #expect(try windows("apple_pay.retry_window = \"0s\"\n" + merchant) == [.zero, nil])
    #expect(try windows(merchant + "retry_window = \"1h\"\n") == [.seconds(120), .seconds(3600)])
    for wrong in ["\"61m\"", "\"-1s\"", "120"] {
      #expect(throws: ConfigurationError.self) {
        try windows(merchant + "retry_window = \(wrong)\n")
      }
    }
  }

  @Test func oneOperatorAlone() throws {
    let sandbox = "[sandbox]\nrehearsal = true\ntrust_anchor = \"/r.pem\"\n"
    #expect(
      try decode("audit.origin = \"o\"\n[operators]\napproval = []\n").operators.approval == [])
    #expect(try decode("audit.origin = \"o\"\n" + sandbox).operators.approval == [])
    #expect(try decode("audit.origin = \"o\"\n" + sandbox).sandbox?.trustAnchor == "/r.pem")
    #expect(
      try decode("audit.origin = \"o\"\n" + sandbox + "clock = \"2026-11-20T09:30:00Z\"\n").sandbox?
        .clock == Timestamp("2026-11-20T09:30:00Z"))
    #expect(
      try decode("audit.origin = \"o\"\n" + sandbox + "[operators]\napproval = [\"destroy-key\"]\n")
        .operators.approval == [.destroyKey])
  }

  @Test("[OP-SURR-7] [OP-ENV-1] what is made of a merchant's payments with other keys")
  func standIns() throws {
    let configuration = try decode(
      """
      audit.origin = "o"
      [[merchant]]
      identifier = "merchant.com.acme"
      surrogate_key = "acme/surrogate"
      envelope_key = "acme/envelope"
      envelope_lifetime = "1h"
      envelope_one_use = true
      [[merchant]]
      identifier = "merchant.com.zeta"
      envelope_key = "zeta/envelope"

      """)
    #expect(configuration.merchants.map(\.surrogateKey) == ["acme/surrogate", nil])
    #expect(configuration.merchants.map(\.envelopeKey) == ["acme/envelope", "zeta/envelope"])
    #expect(configuration.merchants.map(\.envelopeLifetime) == [.seconds(3600), .seconds(900)])
    #expect(configuration.merchants.map(\.envelopeOpensOnce) == [true, false])
  }

  @Test("[OP-SURR-10] a merchant's surrogates have the usual format unless another is written")
  func surrogateFormats() throws {
    func format(_ line: String) throws -> SurrogateFormat? {
      try decode("audit.origin = \"o\"\n[[merchant]]\nidentifier = \"m\"\n\(line)\n").merchants
        .first?.surrogateFormat
    }
    #expect(try format("") == .usual)
    #expect(try format("surrogate_format = {}") == .usual)
    #expect(
      try format("surrogate_format = { prefix = \"\", first = 0, last = 4, luhn = \"fail\" }")
        == .usual)
    #expect(
      try format("[merchant.surrogate_format]\nluhn = \"any\"") == SurrogateFormat(luhn: .any))
    #expect(
      try format(
        "surrogate_format = { prefix = \"90\", first = 6, last = 3, length = 20, luhn = \"pass\" }")
        == SurrogateFormat(prefix: Array("90".utf8), first: 6, last: 3, length: 20, luhn: .pass))
  }

  @Test(
    "[OP-SURR-10] what is wrong with a format",
    arguments: [
      (
        "first = 9, last = 0",
        "keep more of a PAN than may be shown (PCI DSS 3.4.1); expected at most 8 first and 4 last digits"
      ),
      ("last = 5", "keep more of a PAN than may be shown"),
      ("first = -1", "'first' is -1; expected an integer from 0 to 19"),
      ("first = 7", "leave fewer than a million numbers for a PAN of 16 digits"),
      ("first = 6, luhn = \"pass\"", "leave fewer than a million numbers"),
      ("prefix = 9", "'prefix' is an integer; expected digits in quotes, such as \"90\""),
      ("prefix = \"9a\"", "'prefix' is not a number of up to 15 digits"),
      (
        "prefix = \"90\"",
        "'prefix' leaves fewer numbers of a PAN's length than there are PANs; expected 'length' beside it"
      ),
      ("prefix = \"9\", luhn = \"pass\"", "'prefix' leaves fewer numbers of a PAN's length"),
      ("prefix = \"9\", first = 1", "'prefix' takes the place of"),
      ("length = 16", "expected an integer from 17 to 32"),
      ("length = 18, prefix = \"90\"", "expected an integer from 19 to 32"),
      ("length = 33", "'length' is 33; expected an integer from 10 to 32"),
      ("length = 9", "'length' is 9; expected an integer from 10 to 32"),
      (
        "luhn = \"fial\"",
        "'luhn' is \"fial\"; did you mean \"fail\"? expected one of pass, fail, any"
      ), ("luhn = false", "'luhn' is a boolean"),
      ("suffix = \"1\"", "unknown key 'suffix'"),
    ])
  func surrogateFormatMistakes(_ format: String, _ complaint: String) {
    let found = Schema.daemon.complaint(
      about:
        "audit.origin = \"o\"\n[[merchant]]\nidentifier = \"m\"\nsurrogate_format = { \(format) }\n"
    )
    #expect(
      found?.hasPrefix("FILE:4:") == true && found?.contains(complaint) == true,
      "\(found ?? "nothing")")
  }

  @Test func systemdCredential() throws {
    #expect(
      try decode("audit.origin = \"o\"\nunlock.credential = \"kist-passphrase\"").unlock
        == .systemd("kist-passphrase"))
  }

  static let duration = "such as \"300s\" or \"5m\""
  static let origin =
    "a name of this log of its own, such as \"acme.example/kist/prod-1\", of printable ASCII without spaces, '+' or quotes"
  static let normalPath = "a printable absolute path without '.', '..' or empty parts"
  static let approvable =
    "one of "
    + Opcode.allCases.filter { $0.rawValue >= 0x0100 && $0.traits.approval != .never }.map(\.name)
    .joined(separator: ", ")

  static let mistakes = [
    // Unknown keys and sections.
    Mistake(
      "stat_directory = \"/x\"",
      "FILE:1:1: unknown key 'stat_directory' (did you mean 'state_directory'?); expected one of admin, apple_pay, audit, backup, fleet, key_exchange, key_store, limits, memory, merchant, operators, policy, process, provisioning, sandbox, service, state_directory, unlock"
    ),
    Mistake(
      "[servce]",
      "FILE:1:2: unknown key 'servce' (did you mean 'service'?); expected one of admin, apple_pay, audit, backup, fleet, key_exchange, key_store, limits, memory, merchant, operators, policy, process, provisioning, sandbox, service, state_directory, unlock"
    ),
    Mistake(
      "[service]\n  ownr = \"kist\"",
      "FILE:2:3: unknown key 'ownr' (did you mean 'owner'?); expected one of group, mode, owner, socket"
    ),
    Mistake(
      "[policy]\ndir = \"/x\"", "FILE:2:1: unknown key 'dir'; expected one of directory, slices"),
    Mistake(
      "[memory]\nsize = 1",
      "FILE:2:1: unknown key 'size'; expected one of allow_mlock_fallback, arena_size"),
    Mistake(
      "[limits]\nx = 1",
      "FILE:2:1: unknown key 'x'; expected one of connections, connections_per_user, frame_timeout, handle_timeout, handles, idle_timeout, in_flight, operator_connections, operator_connections_per_user, refusals"
    ),
    Mistake(
      "[process]\nx = 1",
      "FILE:2:1: unknown key 'x'; expected one of group, landlock, seccomp, user"),
    Mistake(
      "[unlock]\nx = 1", "FILE:2:1: unknown key 'x'; expected one of credential, share_window"),
    Mistake(
      "[operators]\napprove = 1",
      "FILE:2:1: unknown key 'approve' (did you mean 'approval'?); expected one of approval, approval_time"
    ),
    Mistake(
      "operators.approval = \"lock\"",
      "FILE:1:22: 'approval' is a string; expected an array of operators' operations"),
    Mistake(
      "operators.approval = [\"unlock\"]",
      "FILE:1:23: 'approval[0]' is \"unlock\"; expected \(approvable)"),
    Mistake(
      "operators.approval = [\"open-payment-token\"]",
      "FILE:1:23: 'approval[0]' is \"open-payment-token\"; expected \(approvable)"),
    Mistake(
      "operators.approval = [\"approve\"]",
      "FILE:1:23: 'approval[0]' is \"approve\"; expected \(approvable)"),
    Mistake(
      "operators.approval = [\"destroy-key\", \"destroy-key\"]",
      "FILE:1:38: is listed twice in 'approval'; expected once"),
    Mistake(
      "operators.approval_time = \"59s\"",
      "FILE:1:27: 'approval_time' is \"59s\"; expected a duration from 1m to 1d, \(duration)"),
    Mistake(
      "operators.approval_time = \"25h\"",
      "FILE:1:27: 'approval_time' is \"25h\"; expected a duration from 1m to 1d, \(duration)"),
    Mistake(
      "[provisioning]\ncheck = 1",
      "FILE:2:1: unknown key 'check'; expected one of check_validity, intermediate_marker, intermediate_name"
    ),
    Mistake(
      "provisioning.intermediate_marker = \"1.2\"",
      "FILE:1:36: 'intermediate_marker' is \"1.2\"; expected an object identifier such as \"1.2.840.113635.100.6.2.15\""
    ),
    Mistake(
      "provisioning.intermediate_marker = \"1.40.3\"",
      "FILE:1:36: 'intermediate_marker' is \"1.40.3\"; expected an object identifier such as \"1.2.840.113635.100.6.2.15\""
    ),
    Mistake(
      "provisioning.intermediate_name = \"\"",
      "FILE:1:34: 'intermediate_name' is \"\"; expected a certificate's common name of 1 to 128 bytes"
    ),
    Mistake(
      "[apple_pay]\nclock = 1",
      "FILE:2:1: unknown key 'clock'; expected one of freshness_window, merchant_issuers, replay_entries, retry_window, trust_anchor"
    ),
    Mistake(
      "[[merchant]]\nidentifier = \"m\"\nx = 1",
      "FILE:3:1: unknown key 'x'; expected one of claims, envelope_key, envelope_lifetime, envelope_one_use, freshness_window, identifier, retry_window, surrogate_format, surrogate_key"
    ),
    Mistake(
      "[[merchant]]\nidentifier = \"m\"\nenvelope_lifetime = \"1h\"",
      "FILE:3:21: 'envelope_lifetime' stands without 'envelope_key'; expected both or neither"),
    Mistake(
      "[[merchant]]\nidentifier = \"m\"\nclaims = \"local\"",
      "FILE:3:10: 'claims' stands without [fleet]; expected both or neither"),
    Mistake(
      "[[merchant]]\nidentifier = \"m\"\nenvelope_one_use = true",
      "FILE:3:20: 'envelope_one_use' stands without 'envelope_key'; expected both or neither"),
    Mistake(
      "[[merchant]]\nidentifier = \"m\"\nenvelope_key = \"k\"\nenvelope_one_use = true\nenvelope_lifetime = \"8d\"",
      "FILE:5:21: 'envelope_lifetime' is \"8d\"; expected a duration from 1s to 7d, such as \"300s\" or \"5m\""
    ),
    Mistake(
      "[[merchant]]\nidentifier = \"m\"\nsurrogate_key = \"acme/*\"",
      "FILE:3:17: 'surrogate_key' is \"acme/*\"; expected a key label such as \"merchant/acme/surrogate-2026\""
    ),
    Mistake(
      "[[merchant]]\nidentifier = \"m\"\nenvelope_key = \"k\"\nenvelope_lifetime = \"367d\"",
      "FILE:4:21: 'envelope_lifetime' is \"367d\"; expected a duration from 1s to 366d, such as \"300s\" or \"5m\""
    ),
    Mistake(
      "[sandbox]\nrehearsal = true\ntrust_anchor = \"/x\"\nx = 1",
      "FILE:4:1: unknown key 'x'; expected one of clock, rehearsal, trust_anchor"),
    // Missing values.
    Mistake("", "FILE:1:1: 'origin' is missing; expected \(origin)"),
    Mistake("[audit]\ndirectory = \"/x\"", "FILE:1:1: 'origin' is missing; expected \(origin)"),
    Mistake(
      "[[merchant]]",
      "FILE:1:1: 'identifier' is missing; expected a merchant identifier such as \"merchant.com.acme\""
    ),
    Mistake(
      "[apple_pay]\nmerchant_issuers = [\"/x\"]\n[sandbox]\nrehearsal = true\ntrust_anchor = \"/x\"",
      "FILE:2:20: 'merchant_issuers' stands beside [sandbox], which trusts its own root alone; expected one of the two"
    ),
    Mistake(
      "apple_pay.trust_anchor = \"/x\"\n[sandbox]\nrehearsal = true\ntrust_anchor = \"/x\"",
      "FILE:1:26: 'trust_anchor' stands beside [sandbox], which trusts its own root alone; expected one of the two"
    ),
    Mistake(
      "[sandbox]",
      "FILE:1:1: 'rehearsal' is missing; expected true, which marks every key as a rehearsal's"),
    Mistake(
      "[sandbox]\nrehearsal = true",
      "FILE:1:1: 'trust_anchor' is missing; expected the absolute path of a root certificate"),
    // Wrong types.
    Mistake(
      "state_directory = 1", "FILE:1:19: 'state_directory' is an integer; expected \(normalPath)"),
    Mistake("service = 1", "FILE:1:11: 'service' is an integer; expected a table"),
    Mistake("[[service]]", "FILE:1:1: 'service' is an array; expected a table"),
    Mistake(
      "[merchant]",
      "FILE:1:1: 'merchant' is a table; expected an array of tables, each under [[merchant]]"),
    Mistake("merchant = [1]", "FILE:1:13: 'merchant[0]' is an integer; expected a table"),
    Mistake(
      "memory.allow_mlock_fallback = \"yes\"",
      "FILE:1:31: 'allow_mlock_fallback' is a string; expected true or false"),
    Mistake("process.seccomp = 1", "FILE:1:19: 'seccomp' is an integer; expected true or false"),
    Mistake(
      "process.landlock = \"strict\"", "FILE:1:20: 'landlock' is a string; expected true or false"),
    Mistake(
      "limits.connections = \"8\"",
      "FILE:1:22: 'connections' is a string; expected an integer from 1 to 1024"),
    Mistake(
      "limits.connections = 8.0",
      "FILE:1:22: 'connections' is a float; expected an integer from 1 to 1024"),
    Mistake(
      "service.owner = true",
      "FILE:1:17: 'owner' is a boolean; expected the name or number of a user"),
    Mistake(
      "service.mode = 0o660",
      "FILE:1:16: 'mode' is an integer; expected permission bits within 0666, as an octal string such as \"0660\""
    ),
    Mistake(
      "sandbox = {rehearsal = true, trust_anchor = \"/x\", clock = 2026-11-20T09:30:00Z}",
      "FILE:1:59: 'clock' is a date or time; expected a moment such as \"2026-11-20T09:30:00Z\""),
    // Out of range.
    Mistake(
      "limits.connections = 0", "FILE:1:22: 'connections' is 0; expected an integer from 1 to 1024"),
    Mistake(
      "limits.connections = 1025",
      "FILE:1:22: 'connections' is 1025; expected an integer from 1 to 1024"),
    Mistake(
      "limits.connections = -9223372036854775808",
      "FILE:1:22: 'connections' is -9223372036854775808; expected an integer from 1 to 1024"),
    Mistake(
      "limits = {connections = 4, connections_per_user = 5}",
      "FILE:1:51: 'connections_per_user' is 5; expected an integer from 1 to 4"),
    Mistake(
      "limits.in_flight = 257", "FILE:1:20: 'in_flight' is 257; expected an integer from 1 to 256"),
    Mistake(
      "limits.idle_timeout = \"999ms\"",
      "FILE:1:23: 'idle_timeout' is \"999ms\"; expected a duration from 1s to 1d, \(duration)"),
    Mistake(
      "limits.frame_timeout = \"61s\"",
      "FILE:1:24: 'frame_timeout' is \"61s\"; expected a duration from 100ms to 1m, \(duration)"),
    Mistake(
      "apple_pay.replay_entries = 1023",
      "FILE:1:28: 'replay_entries' is 1023; expected an integer from 1024 to 16777216"),
    Mistake(
      "audit = {origin = \"o\", genesis = \"abab\"}",
      "FILE:1:34: 'genesis' is \"abab\"; expected 64 hexadecimal digits in lower case"),
    Mistake(
      "audit = {origin = \"o\", segment_size = \"2GiB\"}",
      "FILE:1:39: 'segment_size' is \"2GiB\"; expected a size from 1MiB to 1GiB, such as \"32MiB\""),
    Mistake(
      "memory.arena_size = \"2MiB\"",
      "FILE:1:21: 'arena_size' is \"2MiB\"; expected a power of two from 4MiB to 1GiB, such as \"32MiB\""
    ),
    Mistake(
      "memory.arena_size = \"33MiB\"",
      "FILE:1:21: 'arena_size' is \"33MiB\"; expected a power of two from 4MiB to 1GiB, such as \"32MiB\""
    ),
    Mistake(
      "service.owner = -1", "FILE:1:17: 'owner' is -1; expected the name or number of a user"),
    Mistake(
      "service.owner = 4294967295",
      "FILE:1:17: 'owner' is 4294967295; expected the name or number of a user"),
    // Not what it should be.
    Mistake(
      "process.user = \"ghost\"",
      "FILE:1:16: unknown user \"ghost\"; expected the name or number of a user on this system"),
    Mistake(
      "process.group = \"ghost\"",
      "FILE:1:17: unknown group \"ghost\"; expected the name or number of a group on this system"),
    Mistake(
      "admin.mode = \"0666\"",
      "FILE:1:14: 'mode' is \"0666\"; expected permission bits within 0660, as an octal string such as \"0660\""
    ),
    Mistake(
      "service.socket = \"/\(String(repeating: "a", count: 107))\"",
      "FILE:1:18: 'socket' is 108 bytes long; expected a path of at most 107 bytes, as a socket's must be"
    ),
    Mistake(
      "admin.socket = \"/run/kist/kist.sock\"",
      "FILE:1:16: 'socket' is \"/run/kist/kist.sock\"; expected another path than that of [service]"
    ),
    Mistake("audit.origin = \"a b\"", "FILE:1:16: 'origin' is \"a b\"; expected \(origin)"),
    Mistake("audit.origin = \"a+b\"", "FILE:1:16: 'origin' is \"a+b\"; expected \(origin)"),
    Mistake("audit.origin = \"\"", "FILE:1:16: 'origin' is \"\"; expected \(origin)"),
    Mistake(
      "unlock.credential = \"a/b\"",
      "FILE:1:21: 'credential' is \"a/b\"; expected an absolute path, or the name of a systemd credential"
    ),
    Mistake(
      "unlock.share_window = \"59s\"",
      "FILE:1:23: 'share_window' is \"59s\"; expected a duration from 1m to 1d, such as \"300s\" or \"5m\""
    ),
    Mistake(
      "unlock.share_window = \"2d\"",
      "FILE:1:23: 'share_window' is \"2d\"; expected a duration from 1m to 1d, such as \"300s\" or \"5m\""
    ),
    Mistake(
      "unlock.credential = \"..\"",
      "FILE:1:21: 'credential' is \"..\"; expected an absolute path, or the name of a systemd credential"
    ),
    Mistake(
      "unlock.credential = \"/a/../b\"",
      "FILE:1:21: 'credential' is \"/a/../b\"; expected \(normalPath)"),
    Mistake(
      "[[merchant]]\nidentifier = \"m\"\n[[merchant]]\nidentifier = \"m\"",
      "FILE:4:14: 'identifier' is \"m\" again; expected each merchant once"),
    Mistake(
      "[[merchant]]\nidentifier = \"m n\"",
      "FILE:2:14: 'identifier' is \"m n\"; expected a merchant identifier such as \"merchant.com.acme\""
    ),
    Mistake(
      "sandbox.rehearsal = false",
      "FILE:1:21: 'rehearsal' is false; expected true; a production configuration has no [sandbox]"),
    Mistake(
      "sandbox = {rehearsal = true, trust_anchor = \"/x\", clock = \"today\"}",
      "FILE:1:59: 'clock' is \"today\"; expected a moment such as \"2026-11-20T09:30:00Z\""),
  ]

  @Test(arguments: mistakes) func mistakesAreNamedWhereTheyStand(_ mistake: Mistake) {
    // Sections are decoded in a fixed order, so give [audit] what it needs unless it is the one in
    // question.
    let needsOrigin =
      !mistake.text.contains("audit") && !mistake.complaint.contains("'origin' is missing")
    #expect(
      Schema.daemon.complaint(
        about: needsOrigin ? mistake.text + "\n[audit]\norigin = \"o\"\n" : mistake.text)
        == mistake.complaint)
  }

  @Test(arguments: [
    "5", "5 s", "s", "05s", "-5s", "5S", "5sec", "1.5s", "", "99999999999999999999s",
    "9223372036854775807d", "٥s",
  ])
  func durationsAreStrict(_ text: String) {
    let complaint = Schema.daemon.complaint(
      about: "audit.origin = \"o\"\nlimits.idle_timeout = \"\(text)\"")
    #expect(
      complaint
        == "FILE:2:23: 'idle_timeout' is \"\(text)\"; expected a duration from 1s to 1d, \(Self.duration)"
    )
  }

  @Test(arguments: ["33554432", "32MB", "32 MiB", "032MiB", "32mib", "", "9223372036854775807GiB"])
  func sizesAreStrict(_ text: String) {
    #expect(
      Schema.daemon.complaint(about: "audit = {origin = \"o\", segment_size = \"\(text)\"}")?
        .hasPrefix(
          "FILE:1:39: 'segment_size' is \"\(text)\"; expected a size") == true)
  }

  @Test(arguments: ["660", "00660", "0o660", "0668", "0777", "1660", "-660", "+660", ""])
  func modesAreStrict(_ text: String) {
    #expect(
      Schema.daemon.complaint(about: "audit.origin = \"o\"\nservice.mode = \"\(text)\"")?.hasPrefix(
        "FILE:2:16: 'mode' is \"\(text)\"; expected permission bits") == true)
  }

  @Test(arguments: ["", "/", "x", "./x", "/x/", "//x", "/x//y", "/x/./y", "/x/..", "~/x"])
  func pathsAreStrict(_ text: String) {
    #expect(
      Schema.daemon.complaint(about: "state_directory = \"\(text)\"")
        == "FILE:1:19: 'state_directory' is \"\(text)\"; expected \(Self.normalPath)")
  }
}
