import Audit
import Foundation
import KeyStore
import KistClient
import TestSupport
import Testing

/// Tokens made by an independent program, and everything one can do to them on the way.
@Suite(.serialized, .enabled(if: Oracle.isPresent, "needs ../shared/oracle"))
struct OracleTokensTests {
  @Test("[OP-OPEN-7] one hundred tokens open, the first with a Z that begins with a zero byte")
  func opens() throws {
    let oracle = try Oracle(count: 100)
    let daemon = try oracle.daemon()
    let client = try Client(daemon.services)
    for token in oracle.tokens {
      let opened = try client.openPaymentToken(token.token)
      #expect(opened.withField(.raw, text) == token.plaintext)
    }
    #expect(
      try daemon.records().count { $0.operation == "open-payment-token" && $0.result == "ok" }
        == 100)
  }

  @Test("[OP-OPEN-9] only what is both granted and asked for leaves") func releases() throws {
    let oracle = try Oracle(count: 2)
    let daemon = try oracle.daemon(policy: Self.policy(release: ["last4", "network", "amount"]))
    let client = try Client(daemon.services)
    let all = try client.openPaymentToken(oracle.tokens[0].token)
    #expect(all.withField(.last4, text) == "0000")
    #expect(all.withField(.network, text) == "visa")
    #expect(all.amount == 0)
    for field in PaymentField.allCases where ![.last4, .network, .amount].contains(field) {
      #expect(all.withField(field, text) == "", "\(field) left")
    }
    let some = try client.openPaymentToken(oracle.tokens[1].token, fields: [.last4, .dpan])
    #expect(some.withField(.last4, text) == "0001")
    #expect(some.withField(.dpan, text) == "")
    #expect(some.amount == nil)
    let released = try daemon.records().filter { $0.operation == "open-payment-token" }.map(
      \.released)
    #expect(released == [["last4", "network", "amount"], ["last4"]])
  }

  @Test(
    "[OP-OPEN-8] the payment must be the one that was asked for, and may be tried again with the right one"
  ) func expectations() throws {
    let oracle = try Oracle(count: 6)
    let daemon = try oracle.daemon()
    let client = try Client(daemon.services)
    let token = oracle.tokens[5]
    let wrong = [
      PaymentExpectation(currency: "978"), PaymentExpectation(amount: 6),
      PaymentExpectation(applicationData: [UInt8](repeating: 7, count: 32)),
      PaymentExpectation(currency: "840", amount: 4),
    ]
    for expectation in wrong {
      #expect {
        _ = try client.openPaymentToken(token.token, expecting: expectation).amount
      } throws: { refusal("rejected", "expectation")($0) }
    }
    let right = PaymentExpectation(
      currency: "840", amount: 5, applicationData: token.token.applicationData)
    #expect(try client.openPaymentToken(token.token, expecting: right).amount == 5)
    // A token without application data does not meet an expectation of some.
    #expect {
      _ = try client.openPaymentToken(oracle.tokens[1].token, expecting: wrong[2]).amount
    } throws: { refusal("rejected", "expectation")($0) }
  }

  @Test(
    "[OP-OPEN-4] freshness",
    arguments: [
      ("2025-06-01T12:05:00Z", true), ("2025-06-01T12:05:01Z", false),
      ("2025-06-01T11:55:00Z", true), ("2025-06-01T11:54:59Z", false),
    ])
  func freshness(_ clock: String, _ isFresh: Bool) throws {
    let oracle = try Oracle(count: 1)
    let daemon = try oracle.daemon(clock: clock)
    defer { daemon.stop() }
    let client = try Client(daemon.services)
    if isFresh {
      #expect(try client.openPaymentToken(oracle.tokens[0].token).amount == 0)
    } else {
      #expect { _ = try client.openPaymentToken(oracle.tokens[0].token).amount } throws: {
        refusal("rejected", "signing-time")($0)
      }
    }
  }

  @Test("a merchant's own window") func merchantWindow() throws {
    let oracle = try Oracle(count: 1)
    let own =
      "[[merchant]]\nidentifier = \"merchant.com.example.oracle\"\nfreshness_window = \"120s\"\n"
    let daemon = try oracle.daemon(extra: own, clock: "2025-06-01T12:02:01Z")
    defer { daemon.stop() }
    let client = try Client(daemon.services)
    #expect { _ = try client.openPaymentToken(oracle.tokens[0].token).amount } throws: {
      refusal("rejected", "signing-time")($0)
    }
  }

  @Test("[OP-OPEN-3] the test root means nothing to a daemon that trusts Apple's") func appleRoot()
    throws
  {
    let oracle = try Oracle(count: 1)
    var options = TestDaemon.Options()
    options.clock = Oracle.clock
    options.keys = oracle.keys
    let daemon = try TestDaemon(options)
    defer { daemon.stop() }
    let client = try Client(daemon.services)
    #expect { _ = try client.openPaymentToken(oracle.tokens[0].token).amount } throws: {
      refusal("rejected", "chain")($0)
    }
  }

  @Test("[OP-OPEN-3] a production daemon trusts no other root, not even a configured one")
  func productionRoot() throws {
    let oracle = try Oracle(count: 1)
    let root = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kist-\(UUID().uuidString.prefix(8)).cer")
    try Data(oracle.root).write(to: root)
    defer { try? FileManager.default.removeItem(at: root) }
    let extra = "[apple_pay]\ntrust_anchor = \"\(root.path)\"\n"
    #expect { _ = try TestDaemon(TestDaemon.Options(kind: .production, extra: extra)) } throws: {
      "\($0)".contains("ended with 78")
    }

    let daemon = try TestDaemon(TestDaemon.Options(kind: .production, keys: oracle.keys))
    defer { daemon.stop() }
    // For a key that is there, with Apple's marker on an intermediate of its own.
    let client = try Client(daemon.services)
    #expect { _ = try client.openPaymentToken(oracle.tokens[0].token).amount } throws: {
      refusal("rejected", "chain")($0)
    }
    #expect { _ = try client.verifyPaymentToken(oracle.tokens[0].token) } throws: {
      refusal("rejected", "chain")($0)
    }
  }

  /// Every byte of every signed or signing part, one at a time: none opens, and outside they all
  /// look the same.
  @Test("[WIRE-14] every changed byte is refused alike") func mutations() throws {
    let oracle = try Oracle(count: 1)
    let daemon = try oracle.daemon(policy: Self.policy(release: ["last4"]))
    let client = try Client(daemon.services)
    let token = oracle.tokens[0].token
    var tried = 0
    for mutation in Mutation.all(of: token) {
      #expect {
        _ = try client.openPaymentToken(mutation, withKey: Array(token.publicKeyHash.prefix(16)))
          .amount
      } throws: { refusal("rejected")($0) }
      tried += 1
    }
    #expect(tried == token.signature.count + token.data.count + 91 + 32 + 32)
    #expect(try client.openPaymentToken(token).withField(.last4, text) == "0000")

    let stages = try daemon.records().compactMap(\.stage)
    #expect(stages.count == tried)
    let count = { (stage: String) in stages.count { $0 == stage } }
    // Data and transaction id are signed, so is the ephemeral key; the public key hash is not.
    #expect(count("message-digest") >= token.data.count + 32)
    #expect(count("public-key-hash") == 32)
    #expect(count("signature") > 0)
    #expect(count("chain") > 0)
    for opened in ["key-agreement", "tag", "plaintext", "replay"] { #expect(count(opened) == 0) }
  }

  static func policy(release: [String]) -> String {
    """
    [[grant]]
    id = "shop"
    users = [\(getuid())]
    operations = ["open-payment-token"]
    keys = ["merchant/*"]
    release = [\(release.map { "\"\($0)\"" }.joined(separator: ", "))]
    """
  }
}

/// Copies of a token with one byte changed.
enum Mutation {
  static func all(of token: PaymentToken) -> [PaymentToken] {
    guard case .ephemeralPublicKey(let ephemeral) = token.keySource else { return [] }
    return flips(token.signature).map { copy(token, signature: $0) }
      + flips(token.data).map { copy(token, data: $0) }
      + flips(ephemeral).map { copy(token, keySource: .ephemeralPublicKey($0)) }
      + flips(token.transactionID).map { copy(token, transactionID: $0) }
      + flips(token.publicKeyHash).map { copy(token, publicKeyHash: $0) }
  }

  static func copy(
    _ token: PaymentToken, keySource: PaymentToken.KeySource? = nil, data: [UInt8]? = nil,
    signature: [UInt8]? = nil,
    publicKeyHash: [UInt8]? = nil, transactionID: [UInt8]? = nil
  ) -> PaymentToken {
    PaymentToken(
      keySource: keySource ?? token.keySource, data: data ?? token.data,
      signature: signature ?? token.signature,
      publicKeyHash: publicKeyHash ?? token.publicKeyHash,
      transactionID: transactionID ?? token.transactionID,
      applicationData: token.applicationData)
  }

  /// One bit of each byte, another one for each place.
  private static func flips(_ bytes: [UInt8]) -> [[UInt8]] {
    bytes.indices.map { place in
      var changed = bytes
      changed[place] ^= 1 << UInt8(place % 8)
      return changed
    }
  }
}

/// A released field as text.
func text(_ bytes: Span<UInt8>) -> String {
  String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
}
