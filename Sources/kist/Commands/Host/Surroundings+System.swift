import Audit
import CClock
import CLinux
import Configuration
import Crypto
import Doctor
import Format
import Glibc
import Host
import KistClient
import Review

extension Surroundings {
  /// This host, and what the person named.
  init(_ arguments: Arguments) throws(CommandFailure) {
    // First: it asks the kernel for the arena, in which certificates are read.
    let kernel = KernelAnswers.measured()
    try Hardening.prepareForPublicData()
    self.init(
      now: .now, accounts: .system, kernel: kernel, version: ProductVersion.text,
      freeBytes: { try? LinuxDisk().freeBytes($0) },
      ask: { DaemonAnswer($0) }, tryCredential: { $0.tried() })
    freeFiles = Self.freeFiles
    let path = arguments.value("config") ?? UsualPlaces.configuration
    configuration = try onConfiguration(TrustedPath.absolute(path))
    for path in arguments.all("certificate") {
      certificates += try KeyFile.certificates(path).map { Named(path, $0) }
    }
    for path in arguments.all("domain-association") {
      domainAssociations.append(
        Named(path, try Input(path: path).contents(limit: Self.associationLimit)))
    }
    for path in arguments.all("checkpoint") {
      checkpoints.append(Named(path, try Self.checkpoint(path)))
    }
  }

  @Sendable private static func freeFiles(_ path: String) -> Int? {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0, status.f_files > 0 else { return nil }
    return Int(clamping: status.f_favail)
  }

  /// In bytes; Apple's have some nine thousand.
  private static let associationLimit = 64 << 10

  private static func checkpoint(_ path: String) throws(CommandFailure) -> CosignedCheckpoint {
    let note = try Input(path: path).contents(limit: CosignedCheckpoint.byteLimit)
    return try onNote(path, CosignedCheckpoint(parsing: note.span))
  }
}

extension KernelAnswers {
  /// Installs the arena of this process, in locked memory if there is no other: what the kernel
  /// says to that is one of the answers.
  fileprivate static func measured() -> KernelAnswers {
    var secretMemory: Int32 = 0
    do throws(SecretMemoryError) {
      try SecretArena.install(capacity: arenaSize, allowMlockFallback: false)
    } catch {
      if case .refused(let code) = error { secretMemory = code }
      try? SecretArena.install(capacity: arenaSize, allowMlockFallback: true)
    }
    return KernelAnswers(
      secretMemory: secretMemory, hasLandlock: kist_landlock_version() > 0,
      tellsProcesses: kist_has_peer_pidfd() == 1,
      isClockSynchronised: isClockSynchronised)
  }

  private static var isClockSynchronised: Bool? {
    let answer = kist_clock_is_synchronised()
    return answer < 0 ? nil : answer == 1
  }

  private static let arenaSize = 4 << 20
}

extension DaemonAnswer {
  /// Asks on the services' socket whether the daemon serves, which leaves no record; asks for the
  /// status only if that leaves none either.
  init(_ question: DaemonQuestion) {
    do throws(ClientError) {
      let client = try Client(Endpoint(path: question.service), timeout: Self.patience)
      switch try client.readiness() {
      case .serving:
        self = .serving(
          question.mayAskStatus(geteuid(), Self.groups) ? DaemonReport(question.admin) : nil)
      case .locked: self = .locked
      case .unavailable: self = .unavailable
      }
    } catch {
      switch error {
      case .unreachable(_, EACCES), .unreachable(_, EPERM): self = .closed
      case .timedOut, .unreachable(_, ETIMEDOUT): self = .silent
      case .unreachable, .disconnected, .malformedReply, .secretMemory, .endpoint, .request,
        .refused:
        self = .gone(reason: "\(error)")
      }
    }
  }

  private static let patience = Duration.seconds(5)

  /// The primary group, then the others.
  private static var groups: [UInt32] {
    var others = [gid_t](repeating: 0, count: 65_536)
    let count = unsafe getgroups(Int32(others.count), &others)
    return [getegid()] + others.prefix(max(0, Int(count)))
  }
}

extension DaemonReport {
  /// Nil if it does not answer.
  fileprivate init?(_ path: String) {
    guard let client = try? Client(Endpoint(path: path), timeout: .seconds(5)),
      let report = try? client.status()
    else { return nil }
    self.init(
      version: report.productVersion, broken: report.promises.filter { !$0.isHeld }.map(\.text))
  }
}

extension CredentialTrial {
  /// Has systemd give the credential to this program as it would to the daemon, decrypted, in a
  /// unit of its own; that compares it with the key store and says nothing else of it. Root's
  /// process never has it.
  func tried() -> Answer {
    guard geteuid() == 0, unsafe access("/run/systemd/system", F_OK) == 0,
      let program = ChildProcess.own
    else { return .unknown }
    let properties = (["User=\(user)"] + settings + Self.confinement).map { "--property=\($0)" }
    let words = ["/usr/bin/systemd-run", "--quiet", "--wait", "--pipe", "--collect"] + properties
    guard
      let (code, said) = ChildProcess.run(
        words + [program, "keystore", "credential", keys, "--compare", credential])
    else { return .unknown }
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
    "LimitCORE=0", "LimitMEMLOCK=64M", "MemorySwapMax=0", "KeyringMode=private",
    "Environment=SWIFT_BACKTRACE=enable=no", "ProtectSystem=strict",
    "ProtectHome=yes", "PrivateTmp=yes", "PrivateNetwork=yes", "RestrictAddressFamilies=AF_UNIX",
    "NoNewPrivileges=yes", "CapabilityBoundingSet=",
    "RuntimeMaxSec=60",
  ]
}
