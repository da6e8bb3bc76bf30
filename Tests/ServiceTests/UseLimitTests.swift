import Crypto
import Format
import Host
import KistClient
import Operations
import Policy
import Service
import ServiceHarness
import TestSupport
import Testing

@testable import KeyStore

/// [KS-USE-LIMIT] Whatever an operation does with a key counts as one use of it.
@Suite struct UseLimitTests {
  /// One way to use a key: by an operation whose header names it, or as the key that its body
  /// names.
  struct Row: Sendable, CustomTestStringConvertible {
    let opcode: Opcode
    let role: KeyRole
    /// The role of the key in the header, where the limited one is in the body.
    var header: KeyRole?
    /// The request's body, for the limited key.
    let body: @Sendable (KeyID) throws -> [UInt8]

    var testDescription: String { "\(opcode.name), \(role.rawValue)" }
  }

  private static let secret = [UInt8](repeating: 0x51, count: 32)
  private static let pan = Array("4109370251004320".utf8)
  private static let merchant = "merchant.com.acme"

  static let rows: [Row] = [
    Row(opcode: .openPaymentToken, role: .merchantProcessingEC) { _ in try Self.token(.ecV1) },
    Row(opcode: .openPaymentToken, role: .merchantProcessingRSA) { _ in try Self.token(.rsaV1) },
    Row(opcode: .provisionPass, role: .otpVisa) { _ in try Self.pass(envelope: []) },
    Row(opcode: .provisionPass, role: .sealing, header: .otpVisa) { id in
      let plaintext = Self.pan
      let key = Self.secret
      let bytes = id.bytes
      let nothing = [UInt8]()
      return try Self.pass(
        envelope: Envelope.seal(
          plaintext.span, key: key.span, id: bytes.span, associatedData: nothing.span))
    },
    Row(opcode: .signOTP, role: .otpHOTP) { _ in try Self.code() },
    Row(opcode: .signOTP, role: .otpTOTP) { _ in try Self.code() },
    Row(opcode: .signOTP, role: .otpVisa) { _ in try Self.code() },
    Row(opcode: .verifyOTP, role: .otpHOTP) { _ in
      let (subject, code): ([UInt8], [UInt8]) = ([], Array("000000".utf8))
      return try written(atMost: 64) {
        var request = VerifyOTPRequest()
        request.subject = subject.span
        request.code = code.span
        try request.encode(into: &$0)
      }
    },
    Row(opcode: .enrolAuthenticator, role: .otpTOTP) { _ in
      try written(atMost: 64) {
        let subject = [UInt8]("a".utf8)
        let retryKey = [UInt8](repeating: 1, count: 16)
        var request = EnrolAuthenticatorRequest()
        request.subject = subject.span
        request.retryKey = retryKey.span
        try request.encode(into: &$0)
      }
    },
    Row(opcode: .ecdh, role: .agreement) { _ in
      try Body.ecdh(PrivateKey.generate(.p256).publicKey.point ?? [])
    },
    Row(opcode: .seal, role: .sealing) { _ in try Body.seal([1]) },
    Row(opcode: .unseal, role: .sealing) { _ in try Body.unseal([1]) },
    Row(opcode: .unseal, role: .unsealing) { _ in
      try Body.unseal([UInt8](repeating: 0, count: 16), iv: [UInt8](repeating: 0, count: 12))
    },
    Row(opcode: .sign, role: .signingECDSA) { _ in try Body.sign(.ecdsaP256SHA256, [1]) },
    Row(opcode: .sign, role: .signingEd25519) { _ in try Body.sign(.ed25519, [1]) },
    Row(opcode: .verify, role: .signingECDSA) { _ in try Body.verify(.ecdsaP256SHA256, [1], [2]) },
    Row(opcode: .mac, role: .macCMAC) { _ in try Body.mac([1]) },
    Row(opcode: .verifyMAC, role: .macHMACSHA256) { _ in
      try Body.verifyMAC([1], [UInt8](repeating: 0, count: 32))
    },
    Row(opcode: .resetOTPLockout, role: .otpHOTP) { _ in [] },
    Row(opcode: .unwrap, role: .unwrappingRSA) { _ in try Body.unwrap([1]) },
    Row(opcode: .tokenise, role: .surrogate) { _ in try Self.tokenise([], lifetime: 0) },
    Row(opcode: .tokenise, role: .sealing) { _ in
      try Self.tokenise([UInt8](repeating: 1, count: 32), lifetime: 60)
    },
    Row(opcode: .detokenise, role: .surrogate) { _ in
      let digits = Self.pan
      return try written(atMost: 256) {
        var request = DetokeniseRequest()
        request.surrogate = digits.span
        request.merchantIdentifier = Self.merchant
        try request.encode(into: &$0)
      }
    },
    Row(opcode: .openEnvelope, role: .sealing) { _ in
      let envelope = [UInt8](repeating: 0, count: 100)
      let transaction = [UInt8](repeating: 1, count: 32)
      return try written(atMost: 512) {
        var request = OpenEnvelopeRequest()
        request.envelope = envelope.span
        request.merchantIdentifier = Self.merchant
        request.transactionID = transaction.span
        try request.encode(into: &$0)
      }
    },
    Row(opcode: .exportKey, role: .keyExchange, header: .macCMAC) { id in
      try written(atMost: 64) { try ExportKeyRequest(exchangeKey: id.bytes).encode(into: &$0) }
    },
    Row(opcode: .importBlock, role: .keyExchange) { _ in
      let block: [UInt8] = [1]
      return try written(atMost: 256) {
        var request = ImportKeyRequest()
        request.label = "merchant/acme/new"
        request.role = "mac-cmac"
        request.privateKey = block.span
        request.activate = true
        try request.encode(into: &$0)
      }
    },
  ]

  /// What a request came to: `ok`, a status, or the stage of a rejection.
  private func outcome(_ test: TestService, _ row: Row, _ header: KeyID, _ body: [UInt8]) throws
    -> String
  {
    let reply = try test.call(
      row.opcode, key: header, body: body, on: .operators, handles: test.service.makeHandles())
    guard reply.header.status == .rejected else { return reply.header.status.name }
    return try Rejection(MessageReader(reply.body.span)).stage.name
  }

  @Test(
    "one use is allowed, and the second is refused: each is counted, and only once", arguments: rows
  ) func counted(_ row: Row) throws {
    var limited = KeyID.none
    var header = KeyID.none
    let test = try TestService { store in
      limited = try store.take("merchant/acme/limited", row.role, useLimit: 1)
      header =
        try row.header.map { try store.take("merchant/acme/header", $0, useLimit: nil) } ?? limited
    }
    try test.unlock()
    let body = try row.body(limited)
    let first = try outcome(test, row, header, body)
    #expect(!["invocations", "denied", "malformed", "internal"].contains(first), "\(first)")
    #expect(try outcome(test, row, header, body) == "invocations")
  }

  @Test("every operation that a role's keys serve has a row") func complete() {
    let serving = Opcode.allCases.filter { opcode in
      !opcode.preparesKey && KeyRole.allCases.contains { $0.serves(opcode) }
    }
    #expect(Set(Self.rows.map(\.opcode)).isSuperset(of: serving))
    // These two take a key from the request's body, besides.
    #expect(
      Set(Self.rows.filter { $0.header != nil }.map(\.opcode)) == [.provisionPass, .exportKey])
  }

  private static func token(_ version: ApplePayTokenVersion) throws -> [UInt8] {
    let bytes = [UInt8](repeating: 1, count: 91)
    let digest = [UInt8](repeating: 2, count: 32)
    return try written(atMost: 1024) {
      var request = OpenPaymentTokenRequest()
      request.token.version = version
      request.token.data = bytes.span
      request.token.signature = bytes.span
      if version == .ecV1 {
        request.token.ephemeralPublicKey = bytes.span
      } else {
        request.token.wrappedKey = bytes.span
      }
      request.token.publicKeyHash = digest.span
      request.token.transactionID = digest.span
      try request.encode(into: &$0)
    }
  }

  private static func pass(envelope: [UInt8]) throws -> [UInt8] {
    try written(atMost: 1024) { writer throws in
      var request = ProvisionPassRequest()
      request.certificates = [[1]]
      request.accountEnvelope = envelope.span
      try request.encode(into: &writer)
    }
  }

  private static func code() throws -> [UInt8] {
    try written(atMost: 64) { try SignOTPRequest().encode(into: &$0) }
  }

  private static func tokenise(_ transaction: [UInt8], lifetime: UInt32) throws -> [UInt8] {
    let pan = pan
    return try written(atMost: 256) {
      var request = TokeniseRequest()
      request.pan = pan.span
      request.merchantIdentifier = merchant
      request.transactionID = transaction.span
      request.lifetime = lifetime
      try request.encode(into: &$0)
    }
  }
}

extension KeyStore {
  fileprivate func take(_ name: String, _ role: KeyRole, useLimit: UInt64?) throws -> KeyID {
    let label = try #require(KeyLabel(name))
    let merchant = role.isMerchant ? MerchantIdentifier("merchant.com.acme") : nil
    return try importKey(
      KeyImport(
        label: label, role: role, material: Self.material(role), merchant: merchant,
        useLimit: useLimit, otp: Self.otp(role),
        isExportable: true), at: TestService.start, anchor: .beginning
    ).id
  }

  private static func material(_ role: KeyRole) throws -> KeyMaterial {
    guard role.symmetricAlgorithm != nil else {
      guard case .asymmetric(let kind) = role.usualAlgorithm else {
        throw KeyStoreError.importRefused(.algorithm)
      }
      return .privateKey(try PrivateKey.generate(kind))
    }
    let bytes = [UInt8](repeating: 0x51, count: role == .otpVisa ? 16 : 32)
    return try KeyMaterial(keyData: bytes.span, for: role)
  }

  private static func otp(_ role: KeyRole) -> OTPAttributes? {
    switch role.otpKind {
    case .visa: .visa(keySet: "123456.1")
    case .mastercard: .mastercard(alias: nil)
    case .counter: OTPCode(step: nil, window: 3).map { .code($0) }
    case .time: OTPCode(step: 30, window: 1).map { .code($0) }
    case nil: nil
    }
  }
}
