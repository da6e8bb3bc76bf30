import Crypto
import Format
import Foundation
import Host
import Sandbox
import TestSupport
import Testing

/// `kist otp sign` and `kist pass provision` of a card number that the caller does not hold,
/// against a sandbox's daemon.
@Suite struct HiddenAccountTests {
  private static let pan = "4111111111111111"
  private static let secret = [UInt8](repeating: 0x5A, count: 32)

  private let folder: Folder
  private let daemon: Running

  init() throws {
    folder = try Folder()
    try #require(Run(["sandbox", "init", folder.path]).code == 0)
    let policy = try folder.text("policy.d/10-sandbox.toml").replacing(
      "\"issuer/cards/sandbox\"", with: "\"issuer/cards/sandbox\", \"issuer/more/*\"")
    let tokens = """
      [[grant]]
      id = "tokens"
      users = [\(getuid())]
      operations = ["tokenise"]
      keys = ["issuer/more/surrogate"]
      rate = "100/s"

      """
    try folder.write("policy.d/10-sandbox.toml", policy + tokens)
    try folder.write("hex", String(repeating: "5a", count: 32) + "\n")
    daemon = try Running(["sandbox", "run", "--dir", folder.path])
    while try !daemon.complaint().contains("event=ready") {}
    for (label, role) in [("surrogate", "surrogate"), ("network", "partner-encryption-aes")] {
      let taken = try run(
        "key import \(folder.path)/hex --label issuer/more/\(label) --role \(role)")
      try #require(taken.code == 0, "\(taken.complaint)")
    }
    try folder.write("request.json", run("sandbox pass-request").output)
  }

  private func run(_ words: String, input: String? = nil) throws -> Run {
    try Run(
      words.split(separator: " ").map(String.init), environment: ["KIST_SANDBOX": folder.path],
      input: input)
  }

  private func printed(_ words: String, input: String) throws -> String {
    let run = try run(words, input: input)
    try #require(run.code == 0, "\(run.complaint)")
    return run.output.trimmingCharacters(in: .newlines)
  }

  private func envelope() throws -> String {
    "--account-envelope "
      + (try printed(
        "primitive seal - --key issuer/cards/sandbox --associated-data 07", input: Self.pan))
      + " --associated-data 07"
  }

  private func surrogate() throws -> String {
    let surrogate = try printed(
      "pan tokenise - --key issuer/more/surrogate --merchant-id issuer.example",
      input: Self.pan + "\n")
    return
      "--account-surrogate \(surrogate) --surrogate-key issuer/more/surrogate --merchant-id issuer.example"
  }

  /// What Apple finds in what was sealed, and the network if it is asked.
  private func provisioned(_ words: String, _ more: String = "") throws -> String {
    let sealed = try run("pass provision --request \(folder.path)/request.json " + words)
    try #require(sealed.code == 0, "\(words): \(sealed.complaint)")
    return try printed("sandbox pass-open - " + more, input: sealed.output)
  }

  @Test func valuesAreMadeOfIt() throws {
    for account in [try envelope(), try surrogate()] {
      let visa = try run("otp sign --key issuer/visa/sandbox --visa MBPAD --expiry 1230 " + account)
      #expect(
        visa.code == 0 && visa.output.hasPrefix("MBPAD-1-FK-sandbox.1--TDEA-"), "\(visa.complaint)")
      let mastercard = try run(
        "otp sign --key issuer/mastercard/sandbox --mastercard 3 --expiry 1230 --json " + account)
      #expect(
        mastercard.code == 0 && mastercard.output.contains("\"otp\":"), "\(mastercard.complaint)")
      let code = try run("otp sign --key issuer/visa/sandbox --visa MBPAC --nonce 00 " + account)
      #expect(
        code.code == 2 && code.complaint.hasPrefix("kist: a value of type MBPAC has no card number")
      )
    }
  }

  @Test func passesAreSealedOfIt() throws {
    for account in [try envelope(), try surrogate()] {
      let card = try provisioned(
        "--name Bob --expiration 12/30 --key issuer/visa/sandbox --visa MBPAD " + account)
      #expect(
        card.contains("\"primaryAccountNumber\":\"\(Self.pan)\"")
          && card.contains("\"checked\":true,\"text\":\"pan=\(Self.pan);expiry=1230;"))
      let visa = try provisioned(
        "--name Bob --expiration 12/30 --network-name Visa --prefix 411111 --key issuer/visa/sandbox "
          + account)
      #expect(visa.contains("\"encrypted_number\":\"pan=\(Self.pan);"), "\(visa)")
      let identified = try provisioned(
        "--account-identifier FAPL --expiration 12/30 --key issuer/mastercard/sandbox --mastercard 3 "
          + account, "--unchecked")
      #expect(
        identified.contains("\"primaryAccountIdentifier\":\"FAPL\"")
          && !identified.contains(Self.pan))
      #expect(identified.contains("dataValidUntilTimestamp"), "\(identified)")
    }
  }

  @Test func aNetworksKeyOpensIt() throws {
    try #require(TestArena.ready)
    for account in [try envelope(), try surrogate()] {
      let pass = try provisioned(
        "--name Bob --expiration 12/30 --network-name Mastercard --prefix 411111 --network-key issuer/more/network "
          + account, "--unchecked")
      let member = try #require(pass.split(separator: "\"").first { $0.hasPrefix("eyJ") })
      let opened = try JWEOpener.open(
        String(member), with: .shared(SecretBuffer(copying: Self.secret.span)))
      let plain = opened.plaintext.bytes.array
      #expect(
        String(decoding: plain, as: UTF8.self)
          == #"{"primaryAccountNumber":"\#(Self.pan)","expiration":"12/30"}"#)
    }
  }

  @Test func whatIsNoNumberIsRefused() throws {
    let envelope = try envelope()
    let surrogate = try surrogate()
    for (account, stage) in [
      ("--account-envelope 00", "envelope"),
      (envelope.replacing("--associated-data 07", with: "--associated-data 08"), "envelope"),
      (
        surrogate.replacing(
          "--surrogate-key issuer/more/surrogate", with: "--surrogate-key issuer/more/network"),
        "stand-in"
      ),
    ] {
      for words in [
        "otp sign --key issuer/visa/sandbox --visa MBPAD --expiry 1230",
        "pass provision --request \(folder.path)/request.json --name Bob --expiration 12/30",
      ] {
        let refused = try run(words + " " + account)
        #expect(
          refused.code == 1 && refused.output.isEmpty && refused.complaint.contains(stage),
          "\(words) \(account): \(refused.complaint)")
      }
    }
    let other = try run(
      "pass provision --request \(folder.path)/request.json --name Bob --expiration 12/30 --network-name Visa --prefix 411111 --network-key issuer/cards/sandbox "
        + envelope)
    #expect(other.code == 1 && other.complaint.contains("partner-key"), "\(other.complaint)")
  }
}
