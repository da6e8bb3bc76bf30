import ApplePay
import Audit
import CLinux
import Crypto
import Format
import Glibc
import Host
import KeyStore
import Operations
import Policy
import Service

/// Builds the service from its configuration, and unlocks it if a credential is configured.
enum ServiceAssembly {
  static func make(
    _ configuration: DaemonConfiguration, _ rules: Rules, _ connections: ConnectionCaps,
    _ manager: ServiceManager, _ timer: TimerThread, _ line: ClaimsLine?,
    _ identity: IdentityInForce, isMoved: Bool
  ) throws(StartFailure) -> Service {
    let store = try openStore(configuration)
    var settings = try settings(configuration, connections, manager, isMoved)
    settings.userID = { name in identity.uid(of: name) }
    settings.after = { nanoseconds, action in timer.after(nanoseconds) { SecretStack.run(action) } }
    settings.fleet = fleet(configuration.fleet, line)
    settings.addFigures = { $0.addProcess(connections) }
    settings.isReading = { manager.tell(.busy) }
    let service = Service(store, rules: rules, settings: settings)
    if let credential = configuration.unlock { try unlock(service, with: credential) }
    return service
  }

  private static func openStore(_ configuration: DaemonConfiguration) throws(StartFailure)
    -> LockedKeyStore
  {
    let path = configuration.stateDirectory + "/keys"
    let expected = configuration.kind
    do throws(KeyStoreError) {
      let store = try LockedKeyStore.open(path)
      // The claim is authenticated only by unlocking, but a wrong one is reason enough to stop.
      guard store.claimedKind == expected else { throw .wrongKind(store.claimedKind) }
      return store
    } catch {
      switch error {
      case .absent:
        throw StartFailure(
          .configuration, "\(path): there is no key store; make one with 'kist keystore init'")
      case .inUse:
        throw StartFailure(.unavailable, "\(path): another process has the key store open")
      case .wrongKind(let kind):
        throw StartFailure(
          .noPermission,
          "\(path) is a \(kind.rawValue) key store; this daemon is configured for \(expected.rawValue)"
        )
      case .storage, .cutOff, .manifestForm, .formerKeys, .custodians, .passphraseFile,
        .restoredMark, .key, .crypto, .present, .otherCopy, .olderThanLog,
        .restoredUnnamed, .restoredUnopened, .restoredUnread, .olderShares, .otherMachine,
        .codesNotRestored, .ledgerOlder, .strays, .manifestAuthentication,
        .changedOnDisk, .closed, .wrongKEK,
        .noPassphrase, .wrongPassphrase, .credential, .auditKeys, .unknownKey, .wrongRole,
        .wrongState, .importRefused, .requestRefused, .exportRefused,
        .ledger, .ledgerFull, .counter, .invocationsUsedUp:
        throw StartFailure(
          .badData,
          "\(path): the key store cannot be opened: \(UnlockError.store(error).meaning ?? error.text)"
        )
      }
    }
  }

  private static func settings(
    _ configuration: DaemonConfiguration, _ connections: ConnectionCaps, _ manager: ServiceManager,
    _ isMoved: Bool
  ) throws(StartFailure) -> ServiceSettings {
    let pinned = configuration.sandbox?.clock
    let anchor = try anchor(configuration)
    let clock: @Sendable () -> Timestamp = {
      pinned ?? Timestamp(microseconds: kist_realtime_nanoseconds() / 1000)
    }
    var settings = ServiceSettings(
      configuration, anchor: anchor,
      merchantIssuers: try merchantIssuers(configuration, anchor),
      log: LogDirectory(configuration.audit.directory),
      audit: try audit(configuration.audit, clock),
      state: StateDirectory(configuration.stateDirectory),
      clock: clock,
      monotonicClock: { MonotonicTime(nanoseconds: kist_monotonic_nanoseconds()) },
      connectionCount: { connections.count }, describeProcess: { $0.describeProcess() },
      report: { event in
        report(event)
        if let status = event.status { manager.tell(.status(status)) }
      })
    settings.machine = machine()
    settings.isMoved = isMoved
    settings.tellsProcesses = PeerIdentity.tellsProcesses
    return settings
  }

  private static func fleet(_ configuration: FleetConfiguration?, _ line: ClaimsLine?) -> Fleet? {
    guard let configuration, let line, let key = KeyLabel(configuration.key) else { return nil }
    return Fleet(
      host: configuration.host, key: key, homeKeys: Set(configuration.homeKeys), store: line)
  }

  private static func audit(
    _ configuration: AuditConfiguration, _ clock: @escaping @Sendable () -> Timestamp
  ) throws(StartFailure) -> AuditSettings {
    var settings = AuditSettings(boot: try bootID(), clock: clock)
    settings.segmentLimit = configuration.segmentSize
    settings.segmentAge = configuration.segmentAge.map { $0.milliseconds * 1000 }
    settings.reserve = configuration.reserve
    settings.lowSpace = configuration.lowSpace
    settings.genesis = configuration.genesis.flatMap { Digest256(hex: $0) }
    return settings
  }

  private static func merchantIssuers(_ configuration: DaemonConfiguration, _ anchor: TrustAnchor)
    throws(StartFailure) -> MerchantIssuers
  {
    if configuration.sandbox != nil { return .sandbox(anchor) }
    do throws(CryptoError) {
      var others: [Certificate] = []
      for path in configuration.applePay.merchantIssuers { others.append(try certificate(path)) }
      return try .apple(and: others)
    } catch {
      throw StartFailure(
        .configuration,
        "merchant_issuers: expected certificates of CAs, in DER, that Apple Root CA - G3 has signed"
      )
    }
  }

  /// Apple's root in production, which a configured file may only confirm; a sandbox has a root of
  /// its own.
  private static func anchor(_ configuration: DaemonConfiguration) throws(StartFailure)
    -> TrustAnchor
  {
    do throws(CryptoError) {
      let apple = try TrustAnchor.appleRootCAG3()
      guard let sandbox = configuration.sandbox else {
        guard let path = configuration.applePay.trustAnchor else { return apple }
        guard try TrustAnchor(certificate(path)).fingerprint == apple.fingerprint else {
          throw .invalidCertificate
        }
        return apple
      }
      return try TrustAnchor(certificate(sandbox.trustAnchor))
    } catch {
      throw StartFailure(
        .configuration,
        "trust_anchor: not a root certificate that this daemon may trust; outside a sandbox only Apple Root CA - G3 is"
      )
    }
  }

  private static func certificate(_ path: String) throws(CryptoError) -> Certificate {
    let file: [UInt8]
    do throws(StorageError) {
      file = try DurableFile.read(path, limit: 16 * 1024, on: LinuxDisk())
    } catch { throw .invalidCertificate }
    return try Certificate(der: file.span)
  }

  /// The machine's identity as a digest, since machine-id(5) asks programs not to use the id
  /// itself.
  private static func machine() -> Digest256? {
    guard let id = ProcFile.read("/etc/machine-id")?.prefix(while: { $0 != "\n" }),
      id.utf8.count == 32
    else { return nil }
    return SHA256.hash(Array("kist/machine/v1 ".utf8) + Array(id.utf8))
  }

  private static func bootID() throws(StartFailure) -> BootID {
    guard let boot = ProcFile.read("/proc/sys/kernel/random/boot_id").flatMap({ BootID($0) }) else {
      throw StartFailure(.osError, "the kernel does not say which boot this is; mount /proc")
    }
    return boot
  }

  private static func unlock(_ service: Service, with credential: UnlockCredential)
    throws(StartFailure)
  {
    let path = try path(of: credential)
    let kek: SecretBuffer
    do throws(KeyStoreError) { kek = try KeyEncryptionKey.read(credential: path) } catch {
      throw StartFailure(.badData, "unlock.credential: \(path) is not a readable file of 32 bytes")
    }
    do throws(UnlockError) { try service.unlock(credential: kek) } catch {
      switch error {
      case .store(.wrongKEK):
        throw StartFailure(.badData, "unlock.credential: \(path) is not the key of this key store")
      case .store:
        throw StartFailure(.badData, "the key store does not open: \(error.meaning ?? error.text)")
      case .audit(let reason):
        throw StartFailure(
          .auditIO, "the audit log cannot be opened: \(error.meaning ?? reason.text)")
      case .keptCheckpoint: throw StartFailure(.auditIO, error.meaning ?? error.text)
      case .crypto, .notLocked:
        throw StartFailure(.software, "the key store does not open: \(error.text)")
      }
    }
  }

  private static func path(of credential: UnlockCredential) throws(StartFailure) -> String {
    switch credential {
    case .file(let path): return path
    case .systemd(let name):
      guard let directory = unsafe getenv("CREDENTIALS_DIRECTORY") else {
        throw StartFailure(
          .configuration,
          "unlock.credential: no $CREDENTIALS_DIRECTORY; give the unit LoadCredential=\(name):… or name an absolute path"
        )
      }
      return unsafe String(cString: directory) + "/" + name
    }
  }

  @Sendable private static func report(_ event: ServiceEvent) {
    switch event {
    case .unlocked(let keys, let size):
      Diagnostics.write(.info, "unlocked", [("keys", String(keys)), ("audit_size", String(size))])
    case .locked: Diagnostics.write(.info, "locked")
    case .strayFiles(let count, let first):
      Diagnostics.write(
        .warning, "stray-files",
        [
          ("count", String(count)), ("first", first),
          (
            "meaning",
            "the key store's directory has files that it does not know; nobody reads them"
          ),
        ])
    case .restored(let restoring):
      Diagnostics.write(
        .warning, "restored",
        [
          ("copy", restoring.digest.hex), ("generation", String(restoring.generation)),
          ("lost_records", String(restoring.lost ?? 0)),
          ("unread_records", String(restoring.unread)),
          ("missing_keys", String(restoring.missing)), ("moved_keys", String(restoring.moved)),
        ])
    case .recordsUnread(let since):
      Diagnostics.write(
        .warning, "records-unread",
        [
          ("since", since.description),
          (
            "meaning",
            "older records are missing or compressed: tokens signed before then are refused, and quotas whose period began before then are used up"
          ),
        ])
    case .backupFailed(let error):
      Diagnostics.write(.warning, "backup-failed", [("reason", error.text)])
    case .unlockFailed(let error):
      Diagnostics.write(
        .warning, "unlock-failed",
        [("reason", error.text)] + (error.meaning.map { [("meaning", $0)] } ?? []))
    case .shareTaken(let present, let needed):
      Diagnostics.write(
        .info, "share-taken", [("present", String(present)), ("needed", String(needed))])
    case .shareRefused(let stage):
      Diagnostics.write(.warning, "share-refused", [("stage", stage.name)])
    case .sharesWiped: Diagnostics.write(.info, "shares-wiped")
    case .keyEnding(let label, let days):
      Diagnostics.write(
        days < 0 ? .error : .warning, "key-ending",
        [
          ("key", label), ("days", String(days)),
          ("meaning", "kist key rotate plan says what to do"),
        ])
    case .checkpointNotKept(let error):
      Diagnostics.write(
        .error, "checkpoint-not-kept",
        [
          ("reason", error.text),
          (
            "meaning",
            "until it can be written, a log that is cut may not be noticed; see the state directory's disk"
          ),
        ])
    case .clockStep(let microseconds):
      Diagnostics.write(
        .warning, "clock-step",
        [
          ("seconds", String(microseconds / 1_000_000)),
          ("meaning", "the clock was set, or is behind the log"),
        ])
    case .duplicateOpening(let claim, let opening, let host):
      Diagnostics.write(
        .error, "duplicate-opening",
        [
          ("claim", claim.hex), ("record", String(opening)), ("host", host),
          (
            "meaning",
            "a token was opened here while the store was away, and on that host, too: kist audit show --claim finds both records"
          ),
        ])
    case .auditFull:
      Diagnostics.write(
        .error, "audit-full",
        [
          (
            "meaning",
            "nothing is served until the log's disk has space again, or the daemon descriptors for a new segment"
          )
        ])
    case .auditResumed: Diagnostics.write(.info, "audit-resumed")
    case .connectionsRefused(let refused):
      let uid = refused.kind.uid.map { [("uid", String($0))] } ?? []
      Diagnostics.write(
        .warning, "connections-refused",
        [("socket", refused.kind.socket.rawValue), ("reason", refused.kind.reason.rawValue)] + uid
          + [("count", String(refused.count))])
    case .auditUnavailable(let error):
      Diagnostics.write(
        .error, "audit-unavailable",
        [
          ("reason", error.text),
          ("meaning", "nothing is served until the log can be written and the daemon is restarted"),
        ])
    }
  }
}

extension ServiceEvent {
  /// What the service manager is to show from now on; nil if the event changes no state.
  fileprivate var status: String? {
    switch self {
    case .unlocked, .auditResumed: "serving"
    case .locked: "locked"
    case .auditFull: "audit-unavailable: the log's disk is full"
    case .auditUnavailable:
      "audit-unavailable: the log could not be written; repair the disk, then restart kistd"
    case .strayFiles, .restored, .recordsUnread, .backupFailed, .unlockFailed, .shareTaken,
      .shareRefused, .sharesWiped, .keyEnding, .checkpointNotKept,
      .connectionsRefused, .duplicateOpening, .clockStep:
      nil
    }
  }
}
