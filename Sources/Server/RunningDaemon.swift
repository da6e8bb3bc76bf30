import Audit
import CLinux
import Crypto
import Format
import Host
import Operations
import Policy
import Service

/// The daemon between start and stop: two acceptors, and the thread that handles signals.
final class RunningDaemon: Sendable {
  /// Where kistd hands over what a reload takes.
  private let directory: String
  /// Whether the daemon may look at its callers' control groups.
  private let asksForProcess: Bool
  private let manager: ServiceManager
  private let ledger: LoadLedger
  private let service: Service
  private let connections: ConnectionCaps
  private let identity: IdentityInForce
  private let acceptors: [Acceptor]
  /// Of a host in a fleet.
  private let claims: ClaimsAcceptor?

  init(
    _ loaded: LoadedSettings, _ directory: String, _ identity: IdentityInForce,
    _ manager: ServiceManager, _ ledger: LoadLedger, _ service: Service,
    _ sockets: consuming ListeningSockets, _ line: ClaimsLine?,
    _ connections: ConnectionCaps, _ timer: TimerThread
  ) throws(StartFailure) {
    let limits = loaded.configuration.limits
    let times = ConnectionTimes(
      idleMilliseconds: limits.idleTimeout.milliseconds,
      frameMilliseconds: limits.frameTimeout.milliseconds, inFlight: limits.inFlight)
    self.directory = directory
    self.manager = manager
    self.ledger = ledger
    asksForProcess = loaded.asksForProcess || !loaded.configuration.process.landlock
    self.service = service
    self.connections = connections
    self.identity = identity
    // Each socket has its own gate, so that operators do not wait behind services.
    let operators = Acceptor(
      sockets.operators, .operators, service, times, connections.operators, .forThisMachine(),
      identity)
    acceptors = [
      Acceptor(
        sockets.services, .services, service, times, connections.services, .forThisMachine(),
        identity), operators,
    ]
    claims = Self.claims(sockets.claims, loaded.configuration.fleet, line)
    let waits =
      timer.begin()
      && claims.map { claims in Thread.start(on: .ordinary, { claims.run() }) } ?? true
    if waits { service.claimLocalOpenings() }
    guard waits, acceptors.allSatisfy({ acceptor in Thread.start({ acceptor.run() }) }),
      Watchdog(manager, service)?.start() != false
    else {
      throw StartFailure(.osError, "the system has no thread for it")
    }
  }

  private static func claims(
    _ listener: consuming Listener?, _ fleet: FleetConfiguration?, _ line: ClaimsLine?
  ) -> ClaimsAcceptor? {
    guard let listener, let fleet, let line else { return nil }
    return ClaimsAcceptor(listener, user: fleet.user.id, line)
  }

  /// Handles signals until one says stop, then drains, closes the log and returns the exit code.
  func runUntilStopped() -> ExitCode {
    ledger.note(refusal: nil, isStart: true)
    manager.tell(.ready(status: service.stateName))
    Diagnostics.write(.info, "ready", [("state", service.stateName)])
    serve()
    manager.tell(.stopping)
    for acceptor in acceptors { acceptor.stop() }
    if !connections.drain(seconds: 10) {
      Diagnostics.write(.warning, "connections-cut", [("count", String(connections.count))])
    }
    claims?.stop()
    guard SecretStack.run({ self.service.stop() }) else {
      Diagnostics.write(.error, "audit-not-closed")
      return .auditIO
    }
    Diagnostics.write(.info, "stopped")
    return .ok
  }

  private func serve() {
    while true {
      switch Signals.next(within: Self.watchSeconds) {
      case .stop: return
      case .reload: reload()
      case .accounts: takeAccounts()
      case nil: SecretStack.run { self.service.watchKeyEnds() }
      }
    }
  }

  /// How often the ends of keys are looked at.
  private static let watchSeconds = 3600

  /// Takes the new configuration and policy if both are valid; otherwise keeps the old ones and
  /// says why.
  private func reload() {
    manager.tell(.reloading)
    let refusal = takeFiles()
    if let refusal {
      Diagnostics.write(
        .error, "reload-refused",
        [("reason", refusal), ("meaning", "the old configuration and policy stay in force")])
    }
    // The ledger first: whoever waits for the reload must find it when the service manager says
    // that it is over.
    ledger.note(refusal: refusal)
    manager.tell(
      .ready(status: service.stateName + (refusal.map { "; reload refused: \($0)" } ?? "")))
  }

  /// Why the files are not put in force; nil if they are.
  private func takeFiles() -> String? {
    do throws(StartFailure) {
      let next = try LoadedSettings(SettingsFile.read(SettingsFrame.fileName, in: directory))
      guard asksForProcess || !next.asksForProcess else {
        return
          "a grant names units or executables, and the daemon may not look at them since it began without such a grant; restart it"
      }
      let rules = try next.rules()
      do throws(ReloadError) {
        try SecretStack.run { () throws(ReloadError) in try self.service.reload(rules) }
      } catch {
        return switch error {
        case .audit(let error): "the change cannot be recorded: \(error.text)"
        case .notApproved:
          "nobody approved the policy \(rules.policyHash.hex); 'kist policy swap' asks for it while the key store is open"
        case .quotaUnknown(let grant, let end):
          "grant \"\(grant)\": records are missing or compressed that tell how far its new quota is used up, so nothing would be left of it until \(end.wholeSeconds); expand them (zstd -d --rm), wait until then, or leave the quota out"
        }
      }
      identity.replace(with: next.identity)
      Diagnostics.write(.info, "reloaded", [("policy", rules.policyHash.hex)])
      return nil
    } catch { return error.message }
  }

  /// Takes anew who is who; policy and settings stay as they are.
  private func takeAccounts() {
    do throws(StartFailure) {
      let bytes = try SettingsFile.read(AccountTable.fileName, in: directory)
      do throws(WireError) { identity.replace(with: try AccountTable(canonical: bytes)) } catch {
        throw StartFailure(.badData, "kistd's accounts are none: \(error.description)")
      }
      Diagnostics.write(.info, "accounts-read")
    } catch {
      Diagnostics.write(
        .error, "accounts-refused",
        [("reason", error.message), ("meaning", "those before stay in force")])
    }
  }
}

/// Tells the service manager again and again that the daemon is alive, if the unit has
/// `WatchdogSec=`.
///
/// Each message follows a worker, a thread like a connection's, that took the locks of the service
/// and of the log. None of these is held while the disk is written. So a slow disk delays no
/// message, but after a deadlock there are none, and the service manager ends the daemon.
struct Watchdog: Sendable {
  private let manager: ServiceManager
  private let service: Service
  private let microseconds: UInt64

  /// Nil if nobody waits for the messages.
  init?(_ manager: ServiceManager, _ service: Service) {
    guard let microseconds = ServiceManager.watchdogMicroseconds else { return nil }
    self.manager = manager
    self.service = service
    self.microseconds = microseconds
  }

  /// - Returns: false if the system has no thread to give.
  func start() -> Bool {
    Thread.start(on: .ordinary) {
      while true {
        visit()
        manager.tell(.alive)
        // Three times as often as is asked for.
        Thread.sleep(nanoseconds: Int64(clamping: microseconds) * 1000 / 3)
      }
    }
  }

  /// Has a worker take the locks, and waits for it. Where connections have all stacks, this thread
  /// takes them itself.
  private func visit() {
    let done = Signal()
    let isVisited = Thread.start {
      service.touchLocks()
      done.give()
    }
    if isVisited { done.wait() } else { service.touchLocks() }
  }
}
