import Format
import Policy
import Testing

@Suite struct RuleTests {
  @Test func flawsAreRefused() {
    expect(.badIdentifier) { try rule("") }
    expect(.badIdentifier) { try rule("Acme") }
    expect(.badIdentifier) { try rule("a b") }
    expect(.badIdentifier) { try rule(String(repeating: "a", count: 65)) }
    expect(.noAccounts) { try rule(users: []) }
    expect(.noAccounts) { try rule(users: [], units: ["acme.service"]) }
    expect(.noAccounts) { try rule(users: [], executables: ["/usr/bin/acme"]) }
    expect(.overflowUser) { try rule(users: [1001, 65_534]) }
    expect(.overflowUser) { try rule(users: [UInt32.max]) }
    expect(.overflowGroup) { try rule(groups: [65_534]) }
    expect(.badUnit) { try rule(units: ["é.service"]) }
    expect(.badUnit) { try rule(units: [""]) }
    expect(.badUnit) { try rule(units: ["a\nb"]) }
    expect(.badExecutable) { try rule(executables: ["bin/acme"]) }
    expect(.badExecutable) { try rule(executables: ["/opt/é"]) }
    expect(.noOperations) { try rule(operations: []) }
    expect(.freeOperation(.ping)) { try rule(operations: [.ping, .openPaymentToken]) }
    expect(.freeOperation(.ready)) { try rule(operations: [.openPaymentToken, .ready]) }
    expect(.keysMissing(.openPaymentToken)) { try rule(keys: []) }
    expect(.keysMissing(.listKeys)) { try rule(operations: [.listKeys, .random], keys: []) }
    expect(.keysMissing(.describeKey)) { try rule(operations: [.describeKey], keys: []) }
    expect(.keysUnused) { try rule(operations: [.random, .status]) }
    expect(.releaseUnused) { try rule(operations: [.verifyPaymentToken], released: .init([.dpan])) }
    expect(.approvalUnused) {
      try rule(
        operations: [.approve, .listRequests, .unlock, .lock, .who], keys: [], approval: true)
    }
    expect(.releaseUnused) {
      try rule(operations: [.tokenise], released: .init([.surrogate]), rate: "1/s")
    }
    expect(.releaseUnused) {
      try rule(operations: [.detokenise], released: .init([.dpan, .last4]))
    }
    expect(.releaseMissing) { try rule(operations: [.detokenise]) }
    expect(.releaseMissing) {
      try rule(operations: [.detokenise, .openPaymentToken], released: .init([.surrogate]))
    }
    expect(.sealedMissing) { try rule(released: .init([.last4, .envelope])) }
    expect(.sealedUnused) { try rule(released: .init([.last4]), sealed: .init([.dpan])) }
    expect(.sealedUnused) {
      try rule(operations: [.openEnvelope], released: .init([.dpan]), sealed: .init([.dpan]))
    }
    for field in [ReleasedField.raw, .surrogate, .envelope] {
      expect(.notSealable) {
        try rule(released: .init([.envelope]), sealed: .init([.dpan, field]))
      }
      expect(.releaseUnused) {
        try rule(
          operations: [.openEnvelope], released: .init([.dpan, field]),
          sealed: .init(field == .envelope ? [.dpan] : []))
      }
    }
    expect(.partnerWithoutFields) { try rule(partner: "partner/acquirer") }
    for field in [ReleasedField.raw, .surrogate] {
      expect(.partnerFields) {
        try rule(released: .init([.dpan, field]), partner: "partner/acquirer")
      }
    }
    expect(.partnerFields) {
      try rule(
        released: .init([.dpan, .envelope]), sealed: .init([.dpan]), partner: "partner/acquirer")
    }
    expect(.releaseUnused) { try rule(released: .init([.jwe])) }
    for other in [Opcode.detokenise, .provisionPass, .ecdh, .kdf] {
      expect(.partnerUnserved(other)) {
        try rule(
          operations: [.openPaymentToken, other], released: .init([.dpan]),
          partner: "partner/acquirer")
      }
    }
    for guessed in [Opcode.auditDigest, .signOTP, .provisionPass, .tokenise] {
      expect(.limitMissing(guessed)) { try rule(operations: [.mac, guessed]) }
    }
  }

  @Test("[OP-SURR-8] detokenise is granted with the PAN") func detokenise() throws {
    #expect(
      try rule(operations: [.detokenise], released: .init([.dpan])).released
        == ReleasedFields([.dpan]))
    #expect(try rule(operations: [.tokenise], rate: "1/s").released == [])
  }

  @Test("[OP-ENV-1] what is sealed stands in the canonical text, and makes another policy of it")
  func sealed() throws {
    let fields: [ReleasedFields] = [.init([.dpan]), .init([.dpan, .cryptogram])]
    let texts = try fields.map {
      try Policy([rule(released: .init([.envelope]), sealed: $0)]).canonicalText
    }
    #expect(
      texts[1].contains("release = [\"envelope\"]\nenvelope = [\"dpan\", \"cryptogram\"]\n")
        && texts[0] != texts[1])
    #expect(try rule(operations: [.openEnvelope], released: .sealable).released == .sealable)
  }

  @Test("[OP-PARTNER-2] to whom a grant releases stands in the canonical text") func partner()
    throws
  {
    let rule = try rule(
      operations: [.openPaymentToken, .openEnvelope, .describe], released: .init([.dpan]),
      partner: "partner/acquirer")
    #expect(rule.partner == "partner/acquirer")
    #expect(
      try Policy([rule]).canonicalText.contains(
        "release = [\"dpan\"]\nrelease_to = \"partner/acquirer\"\n"))
  }

  @Test func limitsAreReached() throws {
    #expect(throws: Never.self) { try rule(String(repeating: "a", count: 64)) }
  }

  @Test func operationsAreSorted() throws {
    #expect(
      try rule(operations: [.openPaymentToken, .listKeys, .random]).operations == [
        .listKeys, .random, .openPaymentToken,
      ])
  }

  private func expect(
    _ flaw: RuleFlaw, _ make: () throws -> Rule, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(throws: flaw, sourceLocation: sourceLocation) { try make() }
  }
}
