import ApplePay
import Crypto
import Format
import Foundation
import Host
import TestSupport
import Testing

/// JWEs for partners; `Tests/interop/partner_jwe.py` opens them with two independent libraries, and
/// says how to run both sides.
@Suite struct PartnerInteropTests {
  private struct Row: Codable {
    /// `ec`, `rsa` or `shared`.
    let kind: String
    /// SubjectPublicKeyInfo, or a shared key; base64.
    let key: String
    let payload: String
    let members: String
    let now: Int64
    var jwe: String?
  }

  private let exchange = ProcessInfo.processInfo.environment["KIST_INTEROP_DIR"].map {
    URL(fileURLWithPath: $0)
  }

  init() throws { try #require(TestArena.ready) }

  @Test("[OP-PARTNER-4] JWEs for the keys of the independent program") func oursForTheProgram()
    throws
  {
    guard let exchange else { return }
    var rows = try JSONDecoder().decode(
      [Row].self, from: Data(contentsOf: exchange.appendingPathComponent("wanted.json")))
    #expect(!rows.isEmpty)
    for index in rows.indices {
      let row = rows[index]
      let key = try #require(Base64.decode(row.key))
      let payload = Array(row.payload.utf8)
      let members = try #require(JWEMembers(row.members))
      let now = Timestamp(seconds: row.now)
      rows[index].jwe =
        row.kind == "shared"
        ? try CompactJWE.seal(payload.span, underShared: key.span, members, at: now)
        : try CompactJWE.seal(payload.span, for: PublicKey(spki: key), members, at: now)
    }
    try JSONEncoder().encode(rows).write(to: exchange.appendingPathComponent("made.json"))
  }
}
