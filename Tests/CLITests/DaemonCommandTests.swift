import Testing

/// Commands that need a daemon, where there is none.
@Suite struct DaemonCommandTests {
  @Test(arguments: [
    ["ping"], ["describe"], ["who"], ["status"], ["status", "--memory"], ["unlock"],
    ["unlock", "--share"], ["lock"], ["share", "progress"],
    ["drill", "/nowhere"], ["key", "list"],
    ["key", "show", "merchant/acme/a"],
    ["audit", "key"],
  ]) func thereIsNoDaemon(_ arguments: [String]) throws {
    let answer = try Kist.run(arguments + ["--socket", "/nowhere.sock", "--json"])
    let command = arguments.prefix { !$0.hasPrefix("-") && !$0.contains("/") }.joined(
      separator: " ")
    let why =
      "kist \(command): /nowhere.sock: No such file or directory; is kistd running, and is this its socket?\n"
    #expect(
      answer
        == Transcript(code: 1, output: #"{"ok":false,"status":"not-asked"}"# + "\n", complaint: why)
    )
  }

  @Test(arguments: [("KIST_ENDPOINT", ["ping"]), ("KIST_ADMIN_ENDPOINT", ["status"])])
  func theEnvironmentNamesTheSocket(_ variable: String, _ arguments: [String]) throws {
    let missing = try Kist.run(arguments, environment: [variable: "unix:/nowhere.sock"])
    #expect(missing.complaint.hasPrefix("kist \(arguments[0]): /nowhere.sock: No such file"))
    let overruled = try Kist.run(
      arguments + ["--socket", "/elsewhere.sock"], environment: [variable: "unix:/nowhere.sock"])
    #expect(overruled.complaint.hasPrefix("kist \(arguments[0]): /elsewhere.sock: No such file"))
    for other in [
      "tcp://127.0.0.1", "unix:", "unix:relative", "/run/kist/kist.sock", "UNIX:/nowhere.sock",
      " unix:/nowhere.sock",
    ] {
      let bad = try Kist.run(arguments, environment: [variable: other])
      #expect(
        bad
          == Transcript(
            code: 1,
            complaint: "kist \(arguments[0]): \(variable) is '\(other)'; expected unix:/PATH\n"))
    }
  }

  @Test(arguments: [
    ("", "this is empty: there is no token in it"),
    (
      "{\"order\":7}",
      "this is JSON of something else: it has none of the members of Apple's tokens"
    ),
    ("{}", "Apple's simulator made this token: it is empty, and nothing can open it"),
    ("<xml/>", "this is neither JSON nor base64 of it"),
    ("\u{FEFF}{}", "a byte order mark stands before the JSON"),
    (
      "{\"version\":\"EC_v2\",\"data\":\"AA==\",\"signature\":\"AA==\"}",
      "the token is neither EC_v1 nor RSA_v1; the member 'header' is missing"
    ),
    (
      #"{"version":"EC_v1","data":"*","signature":"AA==","header":{"publicKeyHash":"AA==","transactionId":"00","ephemeralPublicKey":"AA=="}}"#,
      "the member 'data' is not base64"
    ),
    (
      "{\"version\":\"EC_v1\",\"data\":\"\(String(repeating: "AAAA", count: 100))\",\"signature\":\"AA==\",\"header\":{\"publicKeyHash\":\"\(String(repeating: "A", count: 43))=\",\"transactionId\":\"\(String(repeating: "00", count: 31))\",\"ephemeralPublicKey\":\"AA==\"}}",
      "'transactionId' has 31 bytes; Apple's have 32; 'ephemeralPublicKey' has 1 byte; Apple's have 91"
    ),
  ]) func aTokenThatIsNone(_ text: String, _ complaint: String) throws {
    for verb in ["open", "verify"] {
      let answer = try Kist.run(["token", verb, "-", "--socket", "/nowhere.sock"], input: text)
      #expect(
        answer
          == Transcript(
            code: 1, complaint: "kist token \(verb): -: \(complaint); see kist token diagnose\n"))
    }
  }

  @Test(arguments: [
    (["token", "open"], "FILE|- is missing"),
    (
      ["token", "open", "-", "--field", "pan"],
      "unknown field 'pan'; there are dpan, last4, bin, network, "
    ),
    (
      ["token", "open", "-", "--currency", "USD"],
      "--currency takes three digits (ISO 4217), not 'USD'"
    ),
    (
      ["token", "open", "-", "--amount", "1.50"],
      "--amount takes a number from 0 to 18446744073709551615, not '1.50'"
    ),
    (
      ["token", "open", "-", "--amount", "-1"],
      "--amount takes a number from 0 to 18446744073709551615, not '-1'"
    ),
    (
      ["token", "verify", "-", "--application-data", "00"],
      "--application-data takes a SHA-256 in 64 hexadecimal digits"
    ),
    (["key", "show"], "LABEL|ID is missing"),
    (["drill"], "DIR is missing"), (["restore", "/copy", "--digest", "00"], "DIR is missing"),
    (["restore"], "COPY is missing"),
    (["keystore", "credential", "/nowhere"], "--credential-out is missing"),
    (
      ["drill", "/nowhere", "--share-fd", "x"],
      "--share-fd takes a number from 0 to 2147483647, not 'x'"
    ),
    (["unlock", "secret"], "unexpected argument 'secret'"),
    (["unlock", "--passphrase", "secret"], "unknown option '--passphrase'"),
    (["status", "-m"], "unknown option '-m'"),
    (
      ["otp", "sign", "--key", "k", "--account-envelope", "00"],
      "a card number goes with --visa or --mastercard"
    ),
  ]) func whatMakesNoSense(_ arguments: [String], _ complaint: String) throws {
    let answer = try Kist.run(arguments)
    #expect((answer.code, answer.output) == (2, ""))
    #expect(answer.complaint.hasPrefix("kist: \(complaint)"))
  }

  /// An argument of Swift's cannot have such bytes; the shell makes them.
  @Test func bytesThatAreNoText() throws {
    let command = #"exec "$0" audit review --outcome clean --key k --note "$(printf 'read\377')""#
    let answer = try Kist.run(inShell: command)
    #expect(
      answer
        == Transcript(code: 2, complaint: "kist: an argument is not UTF-8\nTry 'kist --help'.\n"))
  }

  /// Before any daemon is asked, and of both commands that take one.
  @Test(arguments: [
    (
      ["--account-envelope", "0", "--mastercard", "3"],
      "--account-envelope takes 1 to 512 bytes in hexadecimal"
    ),
    (
      ["--account-envelope", "", "--mastercard", "3"],
      "--account-envelope takes 1 to 512 bytes in hexadecimal"
    ),
    (
      ["--account-envelope", String(repeating: "00", count: 513), "--mastercard", "3"],
      "--account-envelope takes 1 to 512 bytes in hexadecimal"
    ),
    (
      ["--account-envelope", "00", "--associated-data", "x", "--mastercard", "3"],
      "--associated-data takes 0 to 512 bytes in hexadecimal"
    ),
    (
      ["--account-envelope", "00", "--account-surrogate", "1"],
      "--account-envelope and --account-surrogate both give the card number"
    ),
    (
      ["--account-envelope", "00", "--account-fd", "0"],
      "--account-envelope and --account-fd both give the card number"
    ),
    (
      ["--account-surrogate", "1", "--account-fd", "0"],
      "--account-surrogate and --account-fd both give the card number"
    ),
    (
      ["--account-surrogate", "", "--surrogate-key", "k", "--merchant-id", "m"],
      "--account-surrogate is empty"
    ),
    (["--account-surrogate", "1", "--merchant-id", "m"], "--surrogate-key is missing"),
    (["--account-surrogate", "1", "--surrogate-key", "k"], "--merchant-id is missing"),
    (["--associated-data", "00"], "--associated-data goes with --account-envelope"),
    (["--surrogate-key", "k"], "--surrogate-key goes with --account-surrogate"),
    (["--merchant-id", "m"], "--merchant-id goes with --account-surrogate"),
    (
      ["--merchant-id", "m", "--account-envelope", "00"],
      "--merchant-id goes with --account-surrogate"
    ),
  ]) func aCardNumberThatNobodyHolds(_ options: [String], _ complaint: String) throws {
    for command in [["otp", "sign", "--key", "k"], ["pass", "provision"]] {
      let answer = try Kist.run(command + options)
      #expect((answer.code, answer.output) == (2, ""), "\(command)")
      #expect(answer.complaint.hasPrefix("kist: \(complaint)"), "\(command)")
    }
  }

  @Test(arguments: [
    ["--network-key", "k"],
    ["--network-key", "k", "--network-name", "Visa", "--account-identifier", "F"],
  ])
  func aNetworksKeyWithoutItsNetwork(_ options: [String]) throws {
    let answer = try Kist.run(["pass", "provision"] + options)
    #expect((answer.code, answer.output) == (2, ""))
    #expect(
      answer.complaint.hasPrefix(
        "kist: --network-key goes with --network-name, and not with --account-identifier"))
  }
}
