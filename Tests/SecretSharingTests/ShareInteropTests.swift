import Crypto
import Format
import Foundation
import TestSupport
import Testing

/// Shares between Kist and shamir-mnemonic; `Tests/interop/slip39_shares.py` says how to run both
/// sides.
@Suite struct ShareInteropTests {
  private struct Reference: Codable {
    let secret, passphrase: String
    let shares: [String]
  }

  private struct Ours: Codable {
    let secret: String
    let threshold: Int
    let shares: [String]
  }

  /// Where the script exchanges shares with us; without it, the reference's are those of the
  /// repository and ours stay here.
  private let exchange = ProcessInfo.processInfo.environment["KIST_INTEROP_DIR"].map {
    URL(fileURLWithPath: $0)
  }
  private let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .appendingPathComponent("interop/slip39_shares.json")

  init() throws { try #require(TestArena.ready) }

  @Test func sharesOfTheReferenceCombine() throws {
    let file = try Data(
      contentsOf: exchange?.appendingPathComponent("reference-shares.json") ?? fixture)
    let rows = try JSONDecoder().decode([Reference].self, from: file)
    for row in rows {
      #expect(
        try Hex.encode(Sharing.combine(row.shares, passphrase: row.passphrase).get()) == row.secret)
      #expect(
        Sharing.combine(Array(row.shares.dropLast()), passphrase: row.passphrase)
          == .failure(.tooFew))
    }
    #expect(rows.count == 10)
  }

  @Test func sharesForTheReference() throws {
    var rows: [Ours] = []
    for (size, threshold, count) in [
      (32, 2, 3), (32, 3, 5), (32, 2, 16), (32, 16, 16), (24, 2, 2), (16, 5, 7),
    ] {
      let secret = try Random.bytes(size)
      rows.append(
        Ours(
          secret: Hex.encode(secret), threshold: threshold,
          shares: try Sharing.split(secret, SharingScheme(threshold, of: count))))
    }
    for row in rows {
      #expect(
        try Hex.encode(Sharing.combine(Array(row.shares.prefix(row.threshold))).get()) == row.secret
      )
    }
    if let exchange {
      try JSONEncoder().encode(rows).write(to: exchange.appendingPathComponent("kist-shares.json"))
    }
  }
}
