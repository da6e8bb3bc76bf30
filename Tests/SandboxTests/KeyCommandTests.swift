import Crypto
import Foundation
import Host
import TestSupport
import Testing

/// `kist key` against a running daemon; what it gives out is read by independent programs.
@Suite struct KeyCommandTests {
  private let folder: Folder
  private let daemon: Running
  private let endpoint: [String: String]

  init() throws {
    folder = try Folder()
    daemon = try Running(["sandbox", "run", "--dir", folder.path])
    endpoint = ["KIST_ADMIN_ENDPOINT": "unix:\(folder.path)/run/admin.sock"]
    while try !daemon.complaint().contains("event=ready") {}
  }

  /// [OP-CSR-1] [OP-CSR-2] `openssl req` verifies what goes to Apple.
  @Test func aRequestForACertificate() throws {
    let request = try Run(
      [
        "key", "csr", "merchant/sandbox/processing-ec", "--organization", "Acme Inc.", "--country",
        "US",
      ], environment: endpoint)
    #expect(request.complaint == "")
    try folder.write("acme.csr", request.output)
    let (code, said) = try run(
      "/usr/bin/openssl",
      [
        "req", "-in", folder.path + "/acme.csr", "-verify", "-noout", "-subject", "-nameopt",
        "RFC2253",
      ])
    #expect(code == 0 && said.contains("self-signature verify OK"))
    #expect(said.contains("subject=C=US,O=Acme Inc.,CN=Apple Pay Payment Processing:merchant."))
    for (words, complaint) in [
      (["merchant/sandbox/none"], "no key 'merchant/sandbox/none' that you may see"),
      (["merchant/sandbox/processing-ec", "--country", "USA"], "two letters"),
      (["merchant/sandbox/processing-ec", "--country", "1%"], "rejected at stage parameters"),
    ] {
      let refused = try Run(["key", "csr"] + words, environment: endpoint)
      #expect(
        refused.code != 0 && refused.output.isEmpty && refused.complaint.contains(complaint),
        "\(refused.complaint)")
    }
  }

  /// [OP-LIST-2] `kist key list --label`, and the record of a request by its id.
  @Test func keysByLabel() throws {
    func labels(_ words: String...) throws -> [String] {
      let listed = try Run(["key", "list", "--json"] + words, environment: endpoint)
      #expect(listed.code == 0 && listed.complaint.isEmpty, "\(listed.complaint)")
      return listed.output.matches(of: /"label":"([^"]*)"/).map { String($0.output.1) }
    }
    let both = ["merchant/sandbox/processing-ec", "merchant/sandbox/processing-rsa"]
    #expect(try labels("--label", "merchant/sandbox/*") == both)
    #expect(try labels("--label", both[1]) == [both[1]])
    #expect(try labels("--label", "merchant/sandbox") == [])
    #expect(try labels("--prefix", "merchant/sandbox/processing-r") == [both[1]])
    for wrong in [["--label", "a*"], ["--label", "*", "--prefix", "a"]] {
      let refused = try Run(["key", "list"] + wrong, environment: endpoint)
      #expect(refused.code == 2 && refused.output.isEmpty, "\(refused.complaint)")
    }
    let log = folder.path + "/audit"
    let last = try #require(
      try Run(["audit", "show", log, "--op", "list-keys", "--json"]).output.split(separator: "\n")
        .last)
    let request = try #require(last.firstMatch(of: /"req":"([0-9a-f]{16})"/)).output.1
    #expect(
      try Run(["audit", "show", log, "--request", String(request), "--json"]).output == last + "\n")
    #expect(try Run(["audit", "show", log, "--request", "order-17"]).output.isEmpty)
  }

  /// [OP-EXPORT-2] [OP-BLOCK-1] A key leaves under an exchange key and comes back under it; what
  /// may not is refused in words.
  @Test func keysToAndFromAnotherHSM() throws {
    func take(_ file: String, _ label: String, _ role: String, _ more: String...) throws -> Run {
      try Run(
        [
          "key", "import", folder.path + "/" + file, "--label", "merchant/sandbox/" + label,
          "--role", role,
        ] + more, environment: endpoint)
    }
    func export(_ label: String, _ more: String...) throws -> Run {
      try Run(
        ["key", "export", "merchant/sandbox/" + label, "--under", "merchant/sandbox/kek"] + more,
        environment: endpoint)
    }
    for (name, digits) in [("kek", 64), ("old", 32), ("key", 64)] {
      try folder.write(
        name, String(repeating: name == "key" ? "5a" : "c3", count: digits / 2) + "\n")
    }
    #expect(try take("kek", "kek", "key-exchange").code == 0)
    #expect(try take("old", "old", "key-exchange-tdea").code == 0)
    #expect(try take("key", "free", "sealing", "--exportable").output.contains("exportable"))
    #expect(try take("key", "kept", "surrogate").code == 0)

    let block = try export("free")
    #expect(block.complaint == "" && block.output.hasPrefix("D0") && block.output.hasSuffix("\n"))
    try folder.write("free.kb", block.output)
    let back = try take("free.kb", "back", "sealing", "--under", "merchant/sandbox/kek")
    #expect(
      back.complaint == "" && back.output.contains("merchant/sandbox/back")
        && !back.output.contains("exportable"))
    #expect(
      try export("free", "--json").output.contains("\"exchange_label\":\"merchant/sandbox/kek\""))

    try folder.write(
      "changed.kb",
      block.output.dropLast(3) + (block.output.dropLast().hasSuffix("00") ? "11\n" : "00\n"))
    try folder.write("none.kb", "not a block\n")
    try folder.write("two.kb", block.output + block.output)
    for (run, complaint) in [
      (try export("kept"), "the key may not be exported"),
      (try export("kek"), "the key may not be exported"),
      (try export("none"), "no key 'merchant/sandbox/none'"),
      (
        try Run(
          ["key", "export", "merchant/sandbox/free", "--under", "merchant/sandbox/kept"],
          environment: endpoint),
        "keys are exported only under one of role key-exchange"
      ),
      (
        try Run(["key", "export", "merchant/sandbox/free"], environment: endpoint),
        "--under is missing"
      ),
      (
        try take("changed.kb", "x", "sealing", "--under", "merchant/sandbox/kek"),
        "rejected at stage key-block"
      ),
      (
        try take("free.kb", "x", "surrogate", "--under", "merchant/sandbox/kek"),
        "header says D0 A B, which does not fit the role surrogate"
      ),
      (
        try take("free.kb", "x", "sealing", "--under", "merchant/sandbox/old"),
        "a block of version D must be under one of role key-exchange"
      ),
      (
        try take("free.kb", "x", "sealing", "--under", "merchant/sandbox/kek", "--exportable"),
        "rejected at stage key-import"
      ),
      (
        try take("free.kb", "back", "sealing", "--under", "merchant/sandbox/kek"),
        "rejected at stage key-import"
      ),
      (
        try take("none.kb", "x", "sealing", "--under", "merchant/sandbox/kek"),
        "no X9.143 (TR-31) key block"
      ),
      (try take("two.kb", "x", "sealing", "--under", "merchant/sandbox/kek"), "more than one line"),
    ] {
      #expect(
        run.code != 0 && run.output.isEmpty && run.complaint.contains(complaint),
        "\(complaint): \(run.complaint)")
    }
  }

  /// Each reason for which a key is not taken has words of its own.
  @Test func whyAKeyIsNotTaken() throws {
    func take(_ digits: String, _ label: String, _ role: String, _ more: String...) throws -> Run {
      try folder.write("digits", digits + "\n")
      return try Run(
        [
          "key", "import", folder.path + "/digits", "--label", "merchant/sandbox/" + label,
          "--role", role,
        ] + more, environment: endpoint)
    }
    let key = String(repeating: "5a", count: 32)
    let other = String(repeating: "5b", count: 32)
    let own = folder.path + "/pki/sandbox-processing-ec"
    #expect(try take(key, "one", "sealing").code == 0)
    for (run, complaint) in [
      (
        try take(other, "one", "sealing"),
        "the label merchant/sandbox/one is taken, by a key that is active"
      ),
      (
        try Run(
          [
            "key", "import", own + ".key", "--certificate", own + ".cer", "--label",
            "merchant/sandbox/two", "--role", "merchant-processing-ec",
          ],
          environment: endpoint),
        "the key is here already, as merchant/sandbox/processing-ec, which is active"
      ),
      (
        try take(other, "two", "otp-visa"),
        "the key set is missing: a key of role otp-visa needs --key-set"
      ),
      (
        try take(String(other.dropLast(2)), "two", "sealing"),
        "the key is too short: 31 bytes; one of role sealing has 32"
      ),
      (try take(other + "00", "two", "sealing"), "the key is too long: 33 bytes"),
      (try take("5a5a", "two", "mac-hmac-sha256"), "has 32 to 64"),
    ] {
      #expect(
        run.code != 0 && run.output.isEmpty && run.complaint.contains(complaint),
        "\(complaint): \(run.complaint)")
    }
  }

  /// [OP-BLOCK-1] A merchant's key in a block: whose it is, a certificate or an identifier says.
  @Test func aMerchantsKeyFromAnotherHSM() throws {
    try #require(TestArena.ready)
    let kbpk = [UInt8](repeating: 0xC3, count: 32)
    try folder.write("kek", String(repeating: "c3", count: 32) + "\n")
    let kek = ["--under", "merchant/sandbox/kek"]
    #expect(
      try Run(
        ["key", "import", folder.path + "/kek", "--label", kek[1], "--role", "key-exchange"],
        environment: endpoint
      ).code == 0)
    let key = try PrivateKey.generate(.p256).serialised()
    let header = try KeyBlockHeader(
      usage: .keyAgreement, algorithm: .ellipticCurve, mode: .deriveOnly, exportability: .exportable
    )
    let block = try KeyBlock.wrap(key: key.bytes, header: header, kbpk: kbpk.span)
    try folder.write("ec.kb", String(decoding: block, as: UTF8.self))
    func take(_ more: String...) throws -> Run {
      let words = [
        "key", "import", folder.path + "/ec.kb", "--label", "merchant/sandbox/moved", "--role",
        "merchant-processing-ec",
      ]
      return try Run(words + kek + more, environment: endpoint)
    }
    let identity = try Run(
      ["key", "show", "merchant/sandbox/processing-ec", "--json"], environment: endpoint
    ).output
    let merchant = try #require(
      identity.firstMatch(of: /"merchant_identifier":"([^"]*)"/)?.output.1)
    let another = folder.path + "/pki/sandbox-processing-ec.cer"
    for (run, complaint) in [
      (try take(), "no certificate says whose key this is"),
      (try take("--certificate", another), "rejected at stage key-import"),
      (
        try take("--certificate", another, "--merchant-id", "merchant.com.else"),
        "not for merchant.com.else"
      ),
    ] {
      #expect(
        run.code != 0 && run.output.isEmpty && run.complaint.contains(complaint),
        "\(complaint): \(run.complaint)")
    }
    let taken = try take("--merchant-id", String(merchant))
    #expect(taken.complaint == "" && taken.output.contains("merchant/sandbox/moved"))
  }

  private func run(_ program: String, _ arguments: [String]) throws -> (code: Int32, output: String)
  {
    let process = Process(), output = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }
}
