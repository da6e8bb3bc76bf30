import Foundation
import KistClient
import Testing

/// `kist key rotate` against a daemon, as far as it goes without Apple.
@Suite struct RotationCommandTests {
  private let daemon: TestDaemon
  /// Midnight, in ten days.
  private let soon = (Int(Date().timeIntervalSince1970) / 86_400 + 10) * 86_400

  init() throws {
    let policy = """
      [[grant]]
      id = "officer"
      users = [\(getuid())]
      operations = ["status", "list-keys", "describe-key", "generate-key", "activate-key", "retire-key"]
      keys = ["*"]
      """
    daemon = try TestDaemon(TestDaemon.Options(policy: policy))
    for name in ["old", "new"] {
      let made = try kist(
        "key", "generate", "--label", "merchant/acme/\(name)", "--role", "merchant-processing-ec",
        "--merchant-id", "merchant.com.acme", "--not-after",
        name == "old"
          ? Date(timeIntervalSince1970: Double(soon)).ISO8601Format() : "2099-01-01T00:00:00Z")
      try #require(made.code == 0, "\(made.text)")
    }
  }

  private func kist(_ words: String...) throws -> (code: Int32, text: String) {
    try Terminal(
      [TestDaemon.executable("kist").path] + words + ["--socket", daemon.operators.path]
    ).end()
  }

  private func rotate(_ step: String, _ words: String...) throws -> (code: Int32, text: String) {
    let policy =
      step == "preflight" || step == "activate"
      ? ["--policy", daemon.directory.path + "/policy.d"] : []
    return try Terminal(
      [
        TestDaemon.executable("kist").path, "key", "rotate", step, "merchant/acme/old",
        "merchant/acme/new",
      ] + policy + words
        + ["--socket", daemon.operators.path]
    ).end()
  }

  @Test(
    "a plan says what is done; without its certificate a key takes over from none, and none is retired for it"
  ) func steps() throws {
    defer { daemon.stop() }
    #expect(try kist("key", "activate", "merchant/acme/old").code == 0)
    let plan = try rotate("plan")
    #expect(plan.code == 0)
    #expect(plan.text.contains("done  1. kist key generate --label merchant/acme/new"))
    #expect(plan.text.contains("NEXT  2. kist key csr merchant/acme/new"))
    for step in ["preflight", "activate"] {
      let checked = try rotate(step)
      #expect(checked.code == 1)
      #expect(checked.text.contains("FAILS  the new key has its certificate\n"), "\(checked.text)")
      #expect(
        checked.text.contains("ok     every grant that covers the old key covers the new one\n"),
        "\(checked.text)")
    }
    let retired = try rotate("retire", "--quiet", "0")
    #expect(retired.code == 1)
    #expect(retired.text.contains("last token under merchant/acme/old: none yet"))
    #expect(
      retired.text.contains(
        "merchant/acme/new is pre-active: without merchant/acme/old the merchant has no key"))
    #expect(try kist("key", "activate", "merchant/acme/new").code == 0)
    #expect(
      try rotate("retire", "--quiet", "0").text.contains(
        "no token has come under merchant/acme/new yet"))
    #expect(try rotate("plan", "--json").text.contains(#""done":false"#))
    #expect(try kist("key", "rotate", "plan", "merchant/acme/none", "merchant/acme/new").code == 1)
    let metrics = try kist("status", "--metrics", "--keys").text
    #expect(
      metrics.contains("kist_key_end_timestamp_seconds{key=\"merchant/acme/old\"} \(soon)\n"),
      "\(metrics)")
    #expect(try kist("status").text.contains("key ends"))
  }
}
