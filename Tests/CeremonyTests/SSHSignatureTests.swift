import Ceremony
import Foundation
import TestSupport
import Testing

@Suite struct SSHSignatureTests {
  private static let signer =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICjvxnTh9sfRmQd1D73JBm3Wy6aLHdCdundxLxSsSPTR wendy"
  private static let other =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBlSbBiUqfGpPaOT1Ss/PrkJOdrdwsiHevyHE/Ac4Jh3 other"
  private static let message = Array(
    "ceremony/acme\n3\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n".utf8)

  // Made by OpenSSH 9.2: ssh-keygen -Y sign -n ceremony.
  private static let good = """
    -----BEGIN SSH SIGNATURE-----
    U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgKO/GdOH2x9GZB3UPvckGbdbLpo
    sd0J26d3EvFKxI9NEAAAAIY2VyZW1vbnkAAAAAAAAABnNoYTUxMgAAAFMAAAALc3NoLWVk
    MjU1MTkAAABAGYD8jCIMEsIl4s4o3+eaiFWfPyXmkdFV0JBSnDi8I9LYTykkgeoTUT7Hix
    Icdea4RLPeSOTq/Pr1KvzAi9EuBA==
    -----END SSH SIGNATURE-----

    """
  private static let sha256 = """
    -----BEGIN SSH SIGNATURE-----
    U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgKO/GdOH2x9GZB3UPvckGbdbLpo
    sd0J26d3EvFKxI9NEAAAAIY2VyZW1vbnkAAAAAAAAABnNoYTI1NgAAAFMAAAALc3NoLWVk
    MjU1MTkAAABALDi3nFUOwwUlJLOgH962a/UN8Lgr6r1Bt4WYRapImO2vf+Ebd+ZrXNZx4H
    tEzyz0jkqIZMahyPjRZg7LOCNiCQ==
    -----END SSH SIGNATURE-----

    """
  private static let otherNamespace = """
    -----BEGIN SSH SIGNATURE-----
    U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgKO/GdOH2x9GZB3UPvckGbdbLpo
    sd0J26d3EvFKxI9NEAAAAEZmlsZQAAAAAAAAAGc2hhNTEyAAAAUwAAAAtzc2gtZWQyNTUx
    OQAAAECNdq55DwaSyVcLVefwf8L1lirF3Ta3ad/YcLCGHxfdAGL2Tf+doAH6KQkRsfdKtG
    Zhx+KoMt6eUsvOd+2FAmAD
    -----END SSH SIGNATURE-----

    """

  init() throws { try #require(TestArena.ready) }

  private func isTrue(_ text: String, _ signer: String = signer, _ message: [UInt8] = message)
    throws -> Bool?
  {
    let key = try #require(SSHPublicKey(signer))
    return SSHSignature(armoured: Array(text.utf8)).map { $0.isTrue(of: message, by: key) }
  }

  @Test func whatOpenSSHSigned() throws {
    #expect(try isTrue(Self.good) == true)
    #expect(try isTrue(Self.sha256) == true)
    #expect(
      SSHPublicKey(Self.signer)?.fingerprint == "SHA256:ljy3nPxpCAe6Z5unKlIphjhOuGTUjCND+bZKVUgD5mo"
    )
  }

  @Test func whatIsNotTrue() throws {
    #expect(try isTrue(Self.otherNamespace) == false)
    #expect(try isTrue(Self.good, Self.other) == false)
    #expect(try isTrue(Self.good, Self.signer, Self.message + [0x0A]) == false)
    #expect(try isTrue(Self.good, Self.signer, []) == false)
  }

  @Test func anyChangeIsRefused() throws {
    let lines = Self.good.split(separator: "\n")
    let encoded = lines.dropFirst().dropLast().joined()
    var blob = try #require(Data(base64Encoded: encoded))
    for index in blob.indices {
      blob[index] ^= 1
      let text = "\(lines[0])\n\(blob.base64EncodedString())\n\(lines[lines.count - 1])\n"
      #expect(try isTrue(text) != true, "byte \(index)")
      blob[index] ^= 1
    }
  }

  @Test(arguments: [
    "", "\n", good.replacing("BEGIN SSH", with: "BEGIN PGP"), String(good.dropLast()), good + "\n",
    good + good, "x" + good,
    good.replacing("U1NIU0lH", with: "U1NIU0lI"), good.replacing("\n", with: "\r\n"),
    String(good.prefix(120)),
  ]) func whatIsNoSignature(_ text: String) throws { #expect(try isTrue(text) == nil) }

  @Test(arguments: [
    "", "ssh-ed25519", "ssh-ed25519 AAAA", signer.replacing("ssh-ed25519 ", with: "ssh-rsa "),
    signer.replacing("AAAAC3", with: "AAAAD3"),
    signer.replacing("SPTR ", with: "SPT "),
  ]) func whatIsNoKey(_ line: String) { #expect(SSHPublicKey(line) == nil) }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ssh-keygen"),
      "needs openssh-client")) func theInstalledOpenSSH() throws
  {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kist-ssh-\(UUID().uuidString)"
    ).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data(Self.message).write(to: URL(fileURLWithPath: folder + "/checkpoint"))
    for arguments in [
      ["-q", "-t", "ed25519", "-N", "", "-f", folder + "/key"],
      ["-q", "-Y", "sign", "-n", "ceremony", "-f", folder + "/key", folder + "/checkpoint"],
    ] {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/ssh-keygen")
      process.arguments = arguments
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    let key = try String(contentsOfFile: folder + "/key.pub", encoding: .utf8).trimmingCharacters(
      in: .newlines)
    #expect(
      try isTrue(try String(contentsOfFile: folder + "/checkpoint.sig", encoding: .utf8), key)
        == true)
  }
}
