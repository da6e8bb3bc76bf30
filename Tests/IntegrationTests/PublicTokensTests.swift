import Audit
import Format
import Foundation
import KeyStore
import KistClient
import TestSupport
import Testing

/// Tokens that Apple signed, through the socket of a real daemon, each at its own clock.
@Suite(.serialized, .enabled(if: Vectors.present, "needs ../shared/vectors"))
struct PublicTokensTests {
  struct Vector {
    let token: PaymentToken
    let key: TestDaemon.MerchantKey?
    let clock: String?
    let plaintext: String?

    init(_ path: String) throws {
      let json = try Vectors.json("applepay/" + path)
      token = try PaymentToken(
        appleJSON: [UInt8](JSONSerialization.data(withJSONObject: json["token"] as Any)))
      clock = (json["clock"] as? String).map { $0.replacingOccurrences(of: "+00:00", with: "Z") }
      plaintext = (json["expected"] as? [String: Any])?["plaintext"] as? String
      key = (json["merchant"] as? [String: Any]).map { merchant in
        let role: KeyRole = path.contains("rsa") ? .merchantProcessingRSA : .merchantProcessingEC
        let pem = merchant["privateKey"] as? String ?? "",
          identifier = merchant["merchantId"] as? String ?? ""
        return TestDaemon.MerchantKey(
          label: "merchant/test/key", role: role, pem: pem, merchant: identifier)
      }
    }

    func daemon() throws -> TestDaemon {
      var options = TestDaemon.Options()
      options.clock = clock
      options.keys = key.map { [$0] } ?? []
      return try TestDaemon(options)
    }
  }

  static func names(_ folder: String) -> [String] {
    let url = Vectors.root.appendingPathComponent("applepay/" + folder)
    let files = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
    return files.filter { $0.hasSuffix(".json") }.sorted().map { folder + "/" + $0 }
  }

  @Test func everyVectorIsRun() {
    #expect(Self.names("tokens").count == 6)
    #expect(Self.names("negative").count == 2)
    #expect(Self.names("signature-only").count == 2)
  }

  @Test("[OP-OPEN-1] opens to exactly the recorded plaintext, once", arguments: names("tokens"))
  func opens(_ path: String) throws {
    let vector = try Vector(path)
    let daemon = try vector.daemon()
    let client = try Client(daemon.services)

    let opened = try client.openPaymentToken(vector.token)
    let raw = opened.withField(.raw) { bytes in
      String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
    #expect(raw == vector.plaintext)

    // [OP-OPEN-6] The same transaction is refused, also by a daemon that was killed and started
    // again.
    #expect { _ = try client.openPaymentToken(vector.token).signingTime } throws: {
      refusal("rejected", "replay")($0)
    }
    daemon.killHard()
    let again = try daemon.restarted()
    let second = try Client(again.services)
    #expect { _ = try second.openPaymentToken(vector.token).signingTime } throws: {
      refusal("rejected", "replay")($0)
    }
    let stages = try again.records().compactMap(\.stage)
    #expect(stages == ["replay", "replay"])
  }

  @Test(
    "[OP-VERIFY-1] verifies without a key", arguments: names("signature-only") + names("tokens"))
  func verifies(_ path: String) throws {
    let vector = try Vector(path)
    let daemon = try vector.daemon()
    defer { daemon.stop() }
    let signed = try Client(daemon.services).verifyPaymentToken(vector.token)
    #expect(
      Date(timeIntervalSince1970: TimeInterval(signed))
        == ISO8601DateFormatter().date(from: vector.clock ?? ""))
  }

  @Test("[OP-OPEN-5] a key that the token was not made for") func wrongKey() throws {
    let vector = try Vector("negative/gala-2023-wrong-key.json")
    let daemon = try vector.daemon()
    defer { daemon.stop() }
    let client = try Client(daemon.services)
    // Through the client the token names a key that is not there.
    #expect { _ = try client.openPaymentToken(vector.token).signingTime } throws: {
      refusal("denied")($0)
    }
    let key = try #require(try client.listKeys(prefix: "merchant/").first)
    #expect { _ = try client.openPaymentToken(vector.token, withKey: key.id).signingTime } throws: {
      refusal("rejected", "public-key-hash")($0)
    }
  }

  @Test("[OP-OPEN-3] a signature with its content attached") func attached() throws {
    let vector = try Vector("negative/pedicel-readme.json")
    let daemon = try vector.daemon()
    defer { daemon.stop() }
    #expect { _ = try Client(daemon.services).verifyPaymentToken(vector.token) } throws: {
      refusal("rejected", "cms")($0)
    }
  }
}

/// Matches a refusal by status and stage, whatever its audit sequence.
func refusal(_ status: String, _ stage: String? = nil) -> @Sendable (any Error) -> Bool {
  { error in
    guard case .refused(let refusal) = error as? ClientError else { return false }
    return refusal.status == status && refusal.stage == stage && refusal.auditSequence != nil
  }
}
