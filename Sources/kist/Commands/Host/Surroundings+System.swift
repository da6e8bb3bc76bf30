internal import Audit
internal import CClock
internal import CLinux
internal import Configuration
internal import Crypto
internal import Doctor
internal import Format
internal import Glibc
internal import Host
internal import Review

extension Surroundings {
  /// This host, and what the person named.
  init(_ arguments: Arguments) throws(CommandFailure) {
    // First: it asks the kernel for the arena, in which certificates are read.
    let kernel = KernelAnswers.measured()
    try Hardening.prepareForPublicData()
    self.init(
      now: .now, accounts: .system, kernel: kernel, version: ProductVersion.text, freeBytes: { try? LinuxDisk().freeBytes($0) },
      ask: { DaemonAnswer($0) }, tryCredential: { $0.tried() })
    freeFiles = Self.freeFiles
    let path = arguments.value("config") ?? UsualPlaces.configuration
    do throws(ConfigurationError) { configuration = try TrustedPath.absolute(path) } catch { throw .misconfigured(error) }
    for path in arguments.all("certificate") { certificates += try KeyFile.certificates(path).map { Named(path, $0) } }
    for path in arguments.all("domain-association") {
      domainAssociations.append(Named(path, try Input(path: path).contents(limit: Self.associationLimit)))
    }
    for path in arguments.all("checkpoint") { checkpoints.append(Named(path, try Self.checkpoint(path))) }
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
    do throws(NoteError) { return try CosignedCheckpoint(parsing: note.span) } catch { throw .failed(path + ": " + error.ofCheckpoint) }
  }
}

extension KernelAnswers {
  /// Installs the arena of this process, in locked memory if there is no other: what the kernel says to that is one of the answers.
  fileprivate static func measured() -> KernelAnswers {
    var secretMemory: Int32 = 0
    do throws(SecretMemoryError) { try SecretArena.install(capacity: arenaSize, allowMlockFallback: false) } catch {
      if case .refused(let code) = error { secretMemory = code }
      try? SecretArena.install(capacity: arenaSize, allowMlockFallback: true)
    }
    return KernelAnswers(
      secretMemory: secretMemory, hasLandlock: kist_landlock_version() > 0, tellsProcesses: kist_has_peer_pidfd() == 1,
      isClockSynchronised: isClockSynchronised)
  }

  private static var isClockSynchronised: Bool? {
    let answer = kist_clock_is_synchronised()
    return answer < 0 ? nil : answer == 1
  }

  private static let arenaSize = 4 << 20
}
