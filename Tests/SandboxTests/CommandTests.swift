import Format
import Foundation
import KistClient
import TestSupport
import Testing
@testable import Sandbox

@Suite(SharedSandbox()) struct CommandTests {
  private let directory: String

  init() throws { directory = try #require(SharedSandbox.current?.path) }

  @Test(arguments: [
    (["--version", "EC_v2"], "--version takes EC_v1 or RSA_v1, not 'EC_v2'"),
    (["--key", "merchant/x"], "--key takes one of merchant/sandbox/"),
    (
      ["--key", "merchant/other/processing-ec", "--version", "RSA_v1"],
      "key merchant/other/processing-ec is for EC_v1"
    ),
    (["--amount", "-1"], "--amount takes a number from 0 to 999999999999, not '-1'"),
    (["--amount", "1000000000000"], "--amount takes a number from 0 to"),
    (["--amount", "1.50"], "--amount takes a number from 0 to"),
    (["--currency", "USD"], "--currency takes 3 digits, not 'USD'"),
    (["--currency", "84"], "--currency takes 3 digits"),
    (["--pan", "4109370251"], "--pan takes 12 to 19 digits"),
    (["--pan", "4109 3702 5100 4320"], "--pan takes 12 to 19 digits"),
    (["--application-data", "00"], "--application-data takes 64 hexadecimal digits, not '00'"),
    (["--at", "now"], "--at takes a moment such as 2026-11-20T09:30:00Z, not 'now'"),
    (["--at", "2026-11-20T09:30:00.5Z"], "--at takes a moment"),
    (["--defect", "all"], "--defect takes one of wrong-key, bad-signature"),
    (["x"], "unexpected argument 'x'"),
  ])
  func aTokenIsAskedForInItsTerms(_ words: [String], _ complaint: String) throws {
    let run = try Run(["sandbox", "token", "--dir", directory] + words)
    #expect(run.code == 2)
    #expect(run.output.isEmpty)
    #expect(run.complaint.hasPrefix("kist: " + complaint))
  }

  @Test(
    arguments: [
      ([], .ecV1), (["--version", "RSA_v1"], .rsaV1),
      (["--key", "merchant/sandbox/processing-rsa"], .rsaV1),
      (["--key=merchant/other/processing-ec", "--version=EC_v1"], .ecV1), (["--stale"], .ecV1),
      (["--defect", "bad-tag", "--stale"], .ecV1),
    ] as [([String], ApplePayTokenVersion)])
  func aTokenIsOneLineOfJSON(_ words: [String], _ version: ApplePayTokenVersion) throws {
    let run = try Run(["sandbox", "token"] + words, environment: ["KIST_SANDBOX": directory])
    #expect(run.code == 0)
    #expect(run.complaint.isEmpty)
    #expect(run.output.split(separator: "\n", omittingEmptySubsequences: false).count == 2)
    let text = Array(run.output.utf8)
    #expect(try ApplePayTokenJSON(text.span).version == version)
  }

  @Test func whichSandbox() throws {
    let run = try Run(["sandbox", "token"])
    #expect(run.code == 2)
    #expect(run.complaint.hasPrefix("kist: which sandbox? Give --dir, or set KIST_SANDBOX"))
    #expect(
      try Run(["sandbox", "token", "--dir", "/nowhere"]).complaint
        == "kist sandbox token: /nowhere: No such file or directory\n")
  }

  @Test func initOfADirectoryThatIsUsed() throws {
    let run = try Run(["sandbox", "init", directory])
    #expect(run.code == 1)
    #expect(
      run.complaint
        == "kist sandbox init: \(directory): not empty; a sandbox wants a directory of its own\n")
    #expect(try Run(["sandbox", "init"]).code == 2)
  }

  @Test func runBecomesTheDaemon() throws {
    let folder = try Folder()
    let daemon = try Running([
      "sandbox", "run", "--dir", folder.path, "--at", "2020-02-29T12:00:00Z",
    ])
    #expect(try daemon.line() == "KIST_ENDPOINT=unix:\(folder.path)/run/kist.sock")
    #expect(try daemon.line() == "KIST_ADMIN_ENDPOINT=unix:\(folder.path)/run/admin.sock")
    #expect(try daemon.line() == "KIST_SANDBOX=\(folder.path)")
    while try !daemon.complaint().contains("event=ready") {}
    let token = folder.path + "/token.json"
    try folder.write("token.json", Run(["sandbox", "token", "--dir", folder.path]).output)
    let endpoint = ["KIST_ENDPOINT": "unix:\(folder.path)/run/kist.sock"]
    let rights = try Run(["who"], environment: endpoint)
    #expect(rights.code == 0)
    #expect(rights.output.hasPrefix("user \(getuid()), group \(getgid())"))
    #expect(
      rights.output.contains(
        "\ngrant shop\n  may   describe, describe-key, random, who, verify-payment-token, open-payment-token\n"
      ))
    #expect(rights.output.contains("  with  merchant/sandbox/*\n  gets  dpan, last4, bin,"))
    #expect(
      try Run(["who", "--json"], environment: endpoint).output.hasPrefix("{\"cut\":false,\"gid\":"))
    let opened = try Run(["token", "open", token], environment: endpoint)
    #expect(opened.code == 0)
    #expect(opened.output.contains("2020-02-29T12:00:00Z"))
    #expect(
      try Run(["token", "open", token], environment: endpoint).complaint.contains("rejected"))
    let others = try Run([
      "sandbox", "token", "--dir", folder.path, "--key", "merchant/other/processing-ec",
    ]).output
    let denied = try Run(["token", "open", "-"], environment: endpoint, input: others)
    #expect(
      denied.code == 1
        && denied.complaint.contains("; the token was made for merchant/other/processing-ec"),
      "\(denied.complaint)")
    #expect(
      denied.complaint.hasSuffix(
        ", and policy grants you no such request with it: see kist policy explain\n"))
    try search(for: Run(["sandbox", "token", "--dir", folder.path]).output, in: folder, endpoint)
    try review(
      folder.path + "/audit", key: folder.path + "/audit.vkey",
      ["KIST_ADMIN_ENDPOINT": "unix:\(folder.path)/run/admin.sock"])
    #expect(try daemon.stop() == 0)
  }

  /// `KIST_SANDBOX` alone says which daemon, policy and log.
  @Test func operatorsCommandsMeanTheSandbox() throws {
    let folder = try Folder()
    try folder.write("limits.toml", "[limits]\nconnections = 40\n")
    let box = folder.path + "/box"
    let daemon = try Running([
      "sandbox", "run", "--dir", box, "--config", folder.path + "/limits.toml",
    ])
    while try !daemon.complaint().contains("event=ready") {}
    func run(_ words: String, input: String? = nil) throws -> Run {
      try Run(
        words.split(separator: " ").map(String.init), environment: ["KIST_SANDBOX": box],
        input: input)
    }
    for (words, said) in [
      ("status", "serving (rehearsal)"), ("key list", "issuer/visa/sandbox"),
      ("key generate --label acme/new --role sealing", "acme/new"),
      ("key suspend acme/new", "done"), ("key resume acme/new", "done"),
      ("key list --prefix acme/", "active"), ("backup", "each unwrapped and checked"),
      ("policy check", box + "/policy.d: good"), ("policy show", "shop"), ("audit tail", "back-up"),
      ("audit verify", box + "/audit: good"),
      ("audit checkpoint", "kist-sandbox/"), ("audit key", "kist-sandbox/"),
      ("audit report --since 2020-01-01", "every record is in its place"),
      ("inventory", "a rehearsal"),
    ] {
      let ended = try run(words)
      #expect(
        ended.code == 0 && ended.output.contains(said),
        "\(words): \(ended.output)\(ended.complaint)")
    }
    try folder.write("request.json", run("sandbox pass-request").output)
    let provision =
      "pass provision --request \(folder.path)/request.json --name Bob --expiration 12/30 --account-fd 0 --key issuer/visa/sandbox --visa"
    let sealed = try run(provision + " MBPAD", input: "4111111111111111\n")
    let opened = try run("sandbox pass-open -", input: sealed.output)
    #expect(
      opened.code == 0
        && opened.output.contains(#""checked":true,"text":"pan=4111111111111111;expiry=1230;"#),
      "\(opened.complaint)")
    let twice = try run(provision + " MBPAD --nonce 00", input: "4111111111111111\n")
    #expect(
      twice.code == 2
        && twice.complaint.hasPrefix(
          "kist: --request has certificates, nonce and signature already")
    )
    let none = try run("sandbox pass-open -", input: "{}")
    #expect(
      none.code == 1
        && none.complaint == "kist sandbox pass-open: -: encryptedPassData is missing\n")
    // What is said outweighs the variable.
    let elsewhere = try Run(
      ["status"],
      environment: ["KIST_SANDBOX": box, "KIST_ADMIN_ENDPOINT": "unix:\(folder.path)/none.sock"])
    #expect(elsewhere.code == 1 && elsewhere.complaint.contains("none.sock"))
    let conflict = try run("sandbox run --dir \(box) --config \(box)/kist.toml")
    #expect(
      conflict.code == 1
        && conflict.complaint == box
          + "/kist.toml:2:1: 'state_directory' is the sandbox's own; leave it out\n"
    )
    #expect(try daemon.stop() == 0)
  }

  /// Signs the log off, as the one user of it.
  private func review(_ log: String, key: String, _ endpoint: [String: String]) throws {
    #expect(
      try Run(["audit", "review", log]).output.split(separator: "\n").map {
        $0.contains("  not reviewed")
      } == [true])
    let sign = ["audit", "review", log, "--outcome", "clean", "--key", key]
    let signed = try Run(sign + ["--note", "read it all", "--through", "6"], environment: endpoint)
    try #require(
      signed.output.wholeMatch(of: /signed off up to record [456] \(audit record \d+\)\n/) != nil,
      "\(signed.output)\(signed.complaint)")
    let lines = try Run(["audit", "review", log]).output.split(separator: "\n")
    #expect(
      lines.count == 3 && lines[0].contains("  only by users of the log")
        && lines[1].contains("  not reviewed"))
    #expect(
      lines[2].contains("  clean, by a user of the log  ") && lines[2].contains("uid \(getuid())")
        && lines[2].hasSuffix("  read it all"))
    #expect(try Run(["audit", "review", log, "--json"]).output.contains(#""outcome":"clean""#))
    #expect(try Run(sign + ["--note", "a\nb"], environment: endpoint).code == 2)
    #expect(try Run(["audit", "review", log, "--note", "a"]).code == 2)
    let beyond = try Run(sign + ["--note", "a", "--through", "999999"], environment: endpoint)
    #expect(
      beyond.code == 1 && beyond.complaint.contains("no record 999999: the log has "), "\(beyond)")
    let none = try Run(sign + ["--note", "a", "--through", "0"], environment: endpoint)
    #expect(
      none.code == 1 && none.complaint.contains("no checkpoint covers only records up to that one"))
  }

  /// Opens a token, and finds its records by its transaction id.
  private func search(for token: String, in folder: Folder, _ endpoint: [String: String]) throws {
    try folder.write("searched.json", token)
    let opened = try Run(["token", "open", folder.path + "/searched.json"], environment: endpoint)
    let transaction = try #require(token.firstMatch(of: /"transactionId":"([0-9a-f]{64})"/)).output
      .1
    let digest = try Run(
      ["audit", "digest", "-"], environment: endpoint, input: transaction + "\n")
    try #require(opened.code == 0 && digest.code == 0)
    let found = try Run([
      "audit", "show", folder.path + "/audit", "--json", "--digest",
      digest.output.trimmingCharacters(in: .newlines),
    ])
    #expect(
      found.output.split(separator: "\n").map { $0.contains(#""op":"open-payment-token""#) } == [
        true, false,
      ])
    #expect(
      found.output.split(separator: "\n").map { $0.contains(#""op":"audit-digest""#) } == [
        false, true,
      ])
    #expect(
      try Run(
        ["audit", "digest", "-", "--json"], environment: endpoint, input: "4109370251004320\n"
      ).output.hasPrefix(#"{"digest":"hmac-sha256:"#))
    let wrong = try Run(
      ["audit", "digest", "-"], environment: endpoint, input: "4109370251004321\n")
    #expect(wrong.code == 1 && wrong.complaint.contains("a check digit"))
    #expect(try Run(["audit", "digest", "4109370251004320"], environment: endpoint).code == 2)
  }
}
