import Crypto
import Foundation
import Host
import KeyStore
import TestSupport
import Testing

@Suite struct KeystoreInitTests {
  private let scratch: Scratch
  private var keys: String { scratch.path + "/keys" }

  init() throws {
    try #require(TestArena.ready)
    scratch = try Scratch()
  }

  private func make(_ options: String..., passphrase: String = "") throws -> Transcript {
    try Kist.run(["keystore", "init", scratch.path] + options, input: passphrase)
  }

  private func unlock(_ passphrase: String, _ kind: StoreKind) throws -> KeyStore {
    try LockedKeyStore.open(keys).unlock(passphrase: Array(passphrase.utf8).span, expecting: kind)
  }

  @Test func aStoreUnderAPassphrase() throws {
    let answer = try make("--passphrase-fd", "0", passphrase: "correct horse\n")
    #expect((answer.code, answer.complaint) == (0, ""))
    #expect(answer.output.hasPrefix("key store        \(keys) (production)\nKEK check value  "))
    #expect(answer.output.hasSuffix("\nnext             start kistd, then kist unlock\n"))
    #expect(
      try unlock("correct horse", .production).records.map(\.label.text) == [
        "audit/digest", "audit/signing",
      ])
    #expect(throws: KeyStoreError.wrongPassphrase) { try unlock("correct horse\n", .production) }
  }

  @Test func aRehearsalStore() throws {
    #expect(try make("--rehearsal", "--passphrase-fd", "0", passphrase: "x").code == 0)
    #expect(throws: KeyStoreError.wrongKind(.rehearsal)) { try unlock("x", .production) }
    _ = try unlock("x", .rehearsal)
  }

  @Test func aStoreUnderACredential() throws {
    let credential = scratch.path + "/kek"
    let answer = try make("--no-passphrase", "--credential-out", credential, "--json")
    #expect((answer.code, answer.complaint) == (0, ""))
    let attributes = try FileManager.default.attributesOfItem(atPath: credential)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(attributes[.size] as? Int == 32)
    let store = try LockedKeyStore.open(keys)
    #expect(
      answer.output
        == "{\"kek_kcv\":\"\(String(decoding: store.claimedKEK.hex, as: UTF8.self))\",\"kind\":\"production\",\"path\":\"\(keys)\"}\n"
    )
    #expect(!store.acceptsPassphrase)
    _ = try store.unlock(
      kek: try KeyEncryptionKey.read(credential: credential), expecting: .production)
  }

  @Test func bothWaysIn() throws {
    let credential = scratch.path + "/kek"
    #expect(
      try make("--passphrase-fd", "0", "--credential-out", credential, passphrase: "x").code == 0)
    _ = try unlock("x", .production)
    _ = try LockedKeyStore.open(keys).unlock(
      kek: try KeyEncryptionKey.read(credential: credential), expecting: .production)
  }

  @Test func nothingIsOverwritten() throws {
    #expect(try make("--passphrase-fd", "0", passphrase: "x").code == 0)
    let before = try Data(contentsOf: URL(fileURLWithPath: keys + "/manifest.json"))
    let refusal = "kist keystore init: \(keys): there is a key store already; it is left as it is\n"
    #expect(
      try make("--passphrase-fd", "0", passphrase: "y") == Transcript(code: 1, complaint: refusal))
    let credential = scratch.path + "/kek"
    #expect(
      try make("--no-passphrase", "--credential-out", credential)
        == Transcript(code: 1, complaint: refusal))
    #expect(!scratch.has("kek"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: keys + "/manifest.json")) == before)
    let store = try LockedKeyStore.open(keys)
    #expect(
      try make("--passphrase-fd", "0", passphrase: "y").complaint.hasSuffix(
        ": a process has this key store open; it is left as it is\n"))
    withExtendedLifetime(store) {}
  }

  @Test func anExistingCredentialFile() throws {
    let credential = try scratch.write("kek", "mine")
    let answer = try make("--no-passphrase", "--credential-out", credential)
    #expect(
      answer == Transcript(code: 1, complaint: "kist keystore init: \(credential): File exists\n"))
    #expect(try String(contentsOfFile: credential, encoding: .utf8) == "mine")
    #expect(!scratch.has("keys"))
  }

  @Test(arguments: ["", "\n"]) func anEmptyPassphrase(_ text: String) throws {
    #expect(
      try make("--passphrase-fd", "0", passphrase: text)
        == Transcript(code: 1, complaint: "kist keystore init: the passphrase is empty\n"))
    #expect(!scratch.has("keys"))
  }

  @Test func noSuchDirectory() throws {
    let answer = try Kist.run(
      ["keystore", "init", scratch.path + "/x", "--passphrase-fd", "0"], input: "x")
    #expect(answer.code == 1)
    #expect(
      answer.complaint.hasPrefix(
        "kist keystore init: \(scratch.path)/x: No such file or directory; make it first"))
    let file = try scratch.write("file", "")
    #expect(
      try Kist.run(["keystore", "init", file]).complaint
        == "kist keystore init: \(file): not a directory\n")
  }

  @Test(.enabled(if: getuid() == 0, "only root can give a directory away"))
  func aDirectoryOfAnotherUser() throws {
    try FileManager.default.setAttributes([.ownerAccountID: 1234], ofItemAtPath: scratch.path)
    let complaint =
      "kist keystore init: \(scratch.path) belongs to user 1234: run this as that user, or kistd could not read the key store\n"
    #expect(
      try make("--passphrase-fd", "0", passphrase: "x") == Transcript(code: 1, complaint: complaint)
    )
  }

  @Test func whatMakesNoSense() throws {
    #expect(
      try make("--no-passphrase").complaint.hasPrefix(
        "kist: --no-passphrase needs --credential-out: nothing else would open the store\n"))
    #expect(
      try make("--no-passphrase", "--credential-out", "x", "--passphrase-fd", "0").complaint
        .hasPrefix("kist: --no-passphrase and --passphrase-fd exclude"))
    #expect(!scratch.has("keys"))
  }
}
