import Format
import Foundation
import TestSupport
import Testing

/// Another program in kistd's place, which hands kistd-keys what it likes.
@Suite struct HandoverTests {
  private static let script = """
    import fcntl, os, subprocess, sys
    program, octets, seals = sys.argv[1], bytes.fromhex(sys.argv[2]), int(sys.argv[3])
    memory = os.memfd_create("settings", os.MFD_ALLOW_SEALING)
    os.write(memory, octets)
    fcntl.fcntl(memory, fcntl.F_ADD_SEALS, seals)
    ended = subprocess.run([program, "--settings", str(memory)], pass_fds=[memory], capture_output=True, text=True)
    print(ended.returncode, ended.stderr)
    """
  /// No writing, no other size, and no other seals.
  private static let sealed = 15

  private static func whole() throws -> String {
    try String(
      contentsOf: Repository.root.appending(path: "proto/vectors/settings/whole.hex"),
      encoding: .utf8
    ).filter(\.isHexDigit)
  }

  private func hand(_ octets: String, _ seals: Int) throws -> String {
    let words = [
      Oracle.python, "-c", Self.script, TestDaemon.executable("kistd-keys").path, octets,
      String(seals),
    ]
    return String(decoding: try Oracle.run(words), as: UTF8.self)
  }

  @Test(
    "memory that somebody could still write, grow, cut or seal otherwise is none of kistd's",
    arguments: [0, 1, 7, 11, 13, 14])
  func unsealed(_ seals: Int) throws {
    #expect(try hand(Self.whole(), seals).hasPrefix("64 kistd: kistd starts kistd-keys"))
  }

  @Test(
    "a caller, a key or an operation that the form does not have ends the start with 65, before there is a key"
  ) func forged() throws {
    let whole = try Self.whole()
    func hex(_ text: String) -> String { Hex.encode(Array(text.utf8)) }
    let forged = [
      "", whole + "00", String(whole.dropLast(2)),
      whole.replacing(hex("random"), with: hex("rundom")),
      whole.replacing(hex("agreement/1"), with: hex("agreement**")),
      whole.replacing(hex("100/s"), with: hex("100/x")),
    ]
    for octets in forged {
      #expect(octets != whole)
      #expect(
        try hand(octets, Self.sealed).hasPrefix("65 kistd: kistd's settings are none"),
        "\(octets.suffix(40))")
    }
  }

  @Test(
    "without kistd it says who starts it",
    arguments: [
      [], ["--settings"], ["--settings", "x"], ["--settings", "0", "--help"],
      ["--config", "/etc/kist/kist.toml"],
    ])
  func alone(_ words: [String]) throws {
    let program = Process()
    let errors = Pipe()
    program.executableURL = TestDaemon.executable("kistd-keys")
    program.arguments = words
    program.standardError = errors
    try program.run()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    program.waitUntilExit()
    #expect(
      program.terminationStatus == 64
        && said == "kistd-keys: it is started by kistd; see kistd(8)\n")
  }
}
