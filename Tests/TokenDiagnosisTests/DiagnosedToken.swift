import ApplePay
import Crypto
import Doctor
import Format
import Foundation
import TestSupport
import Testing

/// A token with the conditions under which it is diagnosed.
struct DiagnosedToken: Sendable, CustomTestStringConvertible {
  let name: String
  /// Apple's JSON.
  var text: [UInt8]
  /// DER; nil for Apple's.
  let root: [UInt8]?
  let clock: Timestamp
  /// As the fixture writes it, `ok` where the token opens.
  let stage: String
  /// PEM, where the source has one.
  let certificate: String?
  /// PKCS #8, where the source has one.
  let privateKey: [UInt8]?

  var testDescription: String { name }

  /// - Parameter later: seconds behind the token's own clock.
  func diagnose(_ merchants: [Certificate] = [], later: Int64 = 0) throws -> TokenDiagnosis {
    try #require(TestArena.ready)
    let anchor: TrustAnchor
    if let root {
      anchor = try TrustAnchor(try Certificate(der: root))
    } else {
      anchor = try .appleRootCAG3()
    }
    let conditions = TokenDiagnosis.Conditions(
      now: clock.adding(seconds: later), window: 300, anchor: anchor)
    return try TokenDiagnosis(text.span, merchants: merchants, conditions)
  }

  func key() throws -> PrivateKey {
    try #require(TestArena.ready)
    let der = try #require(privateKey)
    return try PrivateKey(pkcs8DER: der.span)
  }

  /// The same with one member of the token or its header another text, or nothing.
  func replacing(_ member: String, with value: String?) throws -> DiagnosedToken {
    var token = try #require(try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
    if token[member] != nil {
      token[member] = value
    } else {
      var header = try #require(token["header"] as? [String: Any])
      header[member] = value
      token["header"] = header
    }
    var changed = self
    changed.text = Array(try JSONSerialization.data(withJSONObject: token))
    return changed
  }

  /// The text of a member of the token or its header.
  func member(_ name: String) throws -> String {
    let token = try #require(try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
    let header = try #require(token["header"] as? [String: Any])
    return try #require(token[name] as? String ?? header[name] as? String)
  }
}

extension DiagnosedToken {
  /// Made by an independent program; see `ApplePayTests/Fixtures/make.py`.
  static let fixtures: [DiagnosedToken] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../ApplePayTests/Fixtures"
    ).standardizedFileURL
    return cases(in: folder)
  }()

  static func fixture(_ name: String) throws -> DiagnosedToken {
    try #require(fixtures.first { $0.name == name })
  }

  /// The public tokens in `../shared/vectors/applepay/<folder>`.
  static func vectors(_ folder: String) -> [DiagnosedToken] {
    cases(in: Vectors.root.appendingPathComponent("applepay/" + folder))
  }

  static func vector(_ name: String) throws -> DiagnosedToken {
    try #require(
      (vectors("tokens") + vectors("negative") + vectors("signature-only")).first {
        $0.name == name
      })
  }

  private static func cases(in folder: URL) -> [DiagnosedToken] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".json") }.sorted().compactMap {
      try? DiagnosedToken(folder.appendingPathComponent($0))
    }
  }

  private init(_ file: URL) throws {
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    let merchant = json["merchant"] as? [String: Any]
    let expected = json["expected"] as? [String: Any]
    name = try #require(json["id"] as? String)
    text = Array(try JSONSerialization.data(withJSONObject: #require(json["token"])))
    root = (json["root"] as? String).flatMap { Base64.decode($0) }
    clock =
      try (json["clock"] as? String).map {
        try #require(Timestamp($0.replacingOccurrences(of: "+00:00", with: "Z")))
      } ?? Timestamp(seconds: 0)
    stage = (json["stage"] ?? expected?["verify"]) as? String ?? ""
    certificate = merchant?["certificate"] as? String
    privateKey = (json["privateKey"] as? String).flatMap { Base64.decode($0) }
  }
}
