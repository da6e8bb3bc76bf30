internal import Doctor
internal import Format
internal import Glibc

extension CredentialTrial {
  /// Has systemd give the credential to this program as it would to the daemon, decrypted, in a unit of its own; that compares it with the
  /// key store and says nothing else of it. Root's process never has it.
  func tried() -> Answer {
    guard geteuid() == 0, unsafe access("/run/systemd/system", F_OK) == 0, let program = ChildProcess.own else { return .unknown }
    let properties = (["User=\(user)"] + settings + Self.confinement).map { "--property=\($0)" }
    let words = ["/usr/bin/systemd-run", "--quiet", "--wait", "--pipe", "--collect"] + properties
    guard let (code, said) = ChildProcess.run(words + [program, "keystore", "credential", keys, "--compare", credential]) else { return .unknown }
    switch code {
    case 0: return .opens
    case Self.otherKeyCode: return .otherKey
    // EXIT_CREDENTIALS of systemd.exec(5)
    case 243: return .notGiven("systemd cannot load or decrypt it, and its journal says why")
    default: return .notGiven(Self.sentence(said) ?? "exit code \(code)")
    }
  }

  /// The last line that was said, without the period at its end.
  private static func sentence(_ said: String) -> String? {
    guard let line = said.lines().last(where: { !$0.isEmpty }) else { return nil }
    return Printable.line(String(line.hasSuffix(".") ? line.dropLast() : line))
  }

  /// `EX_DATAERR`, with which `kist keystore credential --compare` ends.
  static let otherKeyCode: Int32 = 65

  /// As for the daemon: it has the key for a moment.
  private static let confinement = [
    "LimitCORE=0", "LimitMEMLOCK=64M", "MemorySwapMax=0", "KeyringMode=private", "Environment=SWIFT_BACKTRACE=enable=no", "ProtectSystem=strict",
    "ProtectHome=yes", "PrivateTmp=yes", "PrivateNetwork=yes", "RestrictAddressFamilies=AF_UNIX", "NoNewPrivileges=yes", "CapabilityBoundingSet=",
    "RuntimeMaxSec=60",
  ]
}
