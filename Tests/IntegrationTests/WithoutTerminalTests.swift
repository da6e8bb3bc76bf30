import Foundation
import Testing

/// What commands that would ask for a secret say where nobody can type one.
@Suite struct WithoutTerminalTests {
  private static let id = String(repeating: "0a", count: 16)

  @Test(
    "each names what it takes the secret from instead",
    arguments: [
      (["audit", "digest"], "-, on standard input"), (["otp", "verify", "--key", id], "--code-fd"),
      (["otp", "sign", "--key", id, "--visa", "MPAD"], "--account-fd"),
      (["otp", "sign", "--key", id, "--visa", "MPAC"], "--code-fd"),
      (["otp", "sign", "--key", id, "--mastercard", "3", "--expiry", "1230"], "--account-fd"),
      (["pass", "provision", "--name", "A", "--expiration", "12/30"], "--account-fd"),
      (
        ["pass", "provision", "--name", "A", "--expiration", "12/30", "--visa", "MBPAC"],
        "--code-fd"
      ),
      (["unlock"], "--passphrase-fd"), (["unlock", "--share"], "--share-fd"),
    ]) func options(_ words: [String], _ option: String) throws
  {
    let server = try SilentServer()
    let kist = try Terminal(
      ["setsid", "--wait", TestDaemon.executable("kist").path] + words + ["--socket", server.path])
    let name = words.prefix { !$0.hasPrefix("-") }.joined(separator: " ")
    #expect(
      kist.end() == (
        1, "kist \(name): there is no terminal to type a secret at; give it with \(option)\n"
      ))
  }
}
