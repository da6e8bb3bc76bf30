import Configuration
import Foundation
import Testing
@testable import kist_claimd

@Suite("claimd.toml")
struct ClaimdConfigurationTests {
  private func decode(_ text: String, credentials: String? = "/run/credentials/x")
    throws(ConfigurationError) -> ClaimdConfiguration
  {
    try ClaimdConfiguration.decode(Array(text.utf8), file: "claimd.toml", credentials: credentials)
  }

  @Test("a connection is all that it must say")
  func least() throws {
    let least = try decode("[store]\nconnection = \"host=db1,db2 dbname=kist\"")
    #expect(
      least.socket == "/run/kist/claims.sock" && least.statusFile == "/run/kist-claimd/status.json"
        && least.partitions == nil)
    #expect(
      least.store.wantsStandby && least.store.answerNanoseconds == 450_000_000
        && least.store.connectNanoseconds == 3_000_000_000)
  }

  @Test("everything else can be said")
  func most() throws {
    let most = try decode(
      """
      [kistd]
      socket = "/run/c.sock"
      [store]
      connection = "postgresql://db1/kist?user=u"
      credential = "store"
      standby = false
      timeout = "1s"
      connect_timeout = "250ms"
      [partitions]
      connection = "host=db1 user=kist_owner sslmode=verify-full"
      ahead = 3
      keep = 9
      [status]
      file = "/run/x/y.json"
      """)
    #expect(
      most.socket == "/run/c.sock" && most.statusFile == "/run/x/y.json" && !most.store.wantsStandby
    )
    #expect(
      most.store.answerNanoseconds == 1_000_000_000 && most.store.connectNanoseconds == 250_000_000)
    #expect(most.partitions?.ahead == 3 && most.partitions?.keep == 9)
  }

  @Test("the example is accepted as it is installed")
  func example() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../packaging/example/fleet/claimd.toml"
    ).standardizedFileURL.path
    let example = try ClaimdConfiguration.load(path, credentials: "/run/credentials/x")
    #expect(example.store.wantsStandby && example.partitions != nil)
  }

  private static let refusals: [(String, String)] = [
    ("", "'store' is missing"),
    ("[store]", "'connection' is missing"),
    ("[store]\nconnection = \"host=db password=x\"", "no password may stand here"),
    ("[store]\nconnection = \"host=db passfile=/x\"", "no password may stand here"),
    ("[store]\nconnection = \"host=db sslmode=require\"", "verify-full"),
    ("[store]\nconnection = \"postgresql://db/kist?sslmode=prefer\"", "verify-full"),
    ("[store]\nconnection = \"host=db options='-c x=y'\"", "'options' is not for"),
    (
      "[store]\nconnection = \"host=db target_session_attrs=any\"",
      "'target_session_attrs' is not for"
    ),
    ("[store]\nconnection = \"no such thing\"", "no connection string"),
    ("[store]\nconnection = \"host=db\"\ntimeout = \"1ms\"", "'timeout'"),
    ("[store]\nconnection = \"host=db\"\ncredential = \"../x\"", "'credential'"),
    ("[store]\nconnection = \"host=db\"\nstandby = 1", "'standby'"),
    ("[store]\nconnection = \"host=db\"\n[partitions]\nkeep = 9", "'connection' is missing"),
    (
      "[store]\nconnection = \"host=db\"\n[partitions]\nconnection = \"host=db\"\nkeep = 1",
      "'keep'"
    ),
    ("[store]\nconnection = \"host=db\"\npasword = 1", "unknown key 'pasword'"),
    ("[store]\nconnection = \"host=db\"\n[kistd]\nsocket = \"claims.sock\"", "'socket'"),
  ]

  @Test("what is wrong or weak is refused, with its place", arguments: refusals.indices)
  func refused(_ row: Int) {
    let (text, words) = Self.refusals[row]
    do throws(ConfigurationError) {
      _ = try decode(text)
      Issue.record("accepted: \(text)")
    } catch { #expect(error.description.contains(words), "\(error.description)") }
  }

  @Test("a credential needs a unit that loads it")
  func credential() throws {
    let text = "[store]\nconnection = \"host=db\"\ncredential = \"store\""
    _ = try decode(text)
    #expect(throws: ConfigurationError.self) { try decode(text, credentials: nil) }
  }
}
