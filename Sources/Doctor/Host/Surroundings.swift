package import Configuration
package import Crypto
package import Format
import Policy
package import Review

/// All that the checks look at; a test sets a false root and the answers of the kernel and the
/// daemon.
package struct Surroundings: Sendable {
  /// Stands in front of every path; empty on a real host.
  package var root = ""
  /// The daemon's configuration.
  package var configuration = DaemonConfiguration.defaultPath
  package var now: Timestamp
  package var accounts: Accounts
  package var kernel: KernelAnswers
  /// Free bytes on the disk of a path; nil if unknown.
  package var freeBytes: @Sendable (_ path: String) -> Int?
  /// How many more files that disk can have; nil if unknown, or as many as there is room for.
  package var freeFiles: @Sendable (_ path: String) -> Int? = { _ in nil }
  /// Asks the daemon over the sockets at these paths.
  package var ask: @Sendable (_ question: DaemonQuestion) -> DaemonAnswer
  /// Tries what would unlock the key store.
  package var tryCredential: @Sendable (_ trial: CredentialTrial) -> CredentialTrial.Answer
  /// The version of this program.
  package var version: String
  /// What people named on the command line, with the names.
  package var certificates: [Named<Certificate>] = []
  package var domainAssociations: [Named<[UInt8]>] = []
  package var checkpoints: [Named<CosignedCheckpoint>] = []

  package struct Named<Content: Sendable>: Sendable {
    let name: String
    let content: Content

    package init(_ name: String, _ content: Content) {
      self.name = name
      self.content = content
    }
  }

  package init(
    now: Timestamp, accounts: Accounts, kernel: KernelAnswers, version: String,
    freeBytes: @escaping @Sendable (String) -> Int?,
    ask: @escaping @Sendable (DaemonQuestion) -> DaemonAnswer,
    tryCredential: @escaping @Sendable (CredentialTrial) -> CredentialTrial.Answer
  ) {
    self.now = now
    self.accounts = accounts
    self.kernel = kernel
    self.version = version
    self.freeBytes = freeBytes
    self.ask = ask
    self.tryCredential = tryCredential
  }
}

/// What no file tells of the kernel.
package struct KernelAnswers: Sendable {
  /// The error of `memfd_secret(2)` for this process; 0 if it gives memory.
  package var secretMemory: Int32
  package var hasLandlock: Bool
  /// Whether a caller's unit and executable are known: `SO_PEERPIDFD`, Linux 6.5.
  package var tellsProcesses: Bool
  /// `adjtimex(2)`; nil if this process may not ask.
  package var isClockSynchronised: Bool?

  package init(
    secretMemory: Int32, hasLandlock: Bool, tellsProcesses: Bool, isClockSynchronised: Bool?
  ) {
    self.secretMemory = secretMemory
    self.hasLandlock = hasLandlock
    self.tellsProcesses = tellsProcesses
    self.isClockSynchronised = isClockSynchronised
  }
}

package struct DaemonQuestion: Sendable {
  /// The paths of its sockets.
  package let service, admin: String
  /// Whether policy lets the caller ask for the status: otherwise each question would leave a
  /// record of its denial.
  package let mayAskStatus: @Sendable (_ uid: UInt32, _ groups: [UInt32]) -> Bool
}

package enum DaemonAnswer: Sendable {
  case gone(reason: String)
  /// It accepts connections and does not answer.
  case silent
  /// This user may not connect.
  case closed
  case locked
  case unavailable
  case serving(DaemonReport?)
}

/// What the daemon says of itself to those who may ask.
package struct DaemonReport: Sendable {
  package let version: String
  /// The promises about its memory that it does not hold.
  package let broken: [String]

  package init(version: String, broken: [String]) {
    self.version = version
    self.broken = broken
  }
}

/// What the daemon would be given at its next start to unlock the key store with.
package struct CredentialTrial: Sendable {
  /// The daemon's user.
  package let user: String
  /// A systemd credential's name, or an absolute path.
  package let credential: String
  /// The unit's settings that give credentials, such as
  /// `LoadCredential=kist-kek:/etc/credstore/kist-kek`.
  package let settings: [String]
  /// The key store that it is to open.
  package let keys: String

  /// What came of it, which only root can find out.
  package enum Answer: Sendable {
    case opens
    /// It was given something that is not the store's key-encryption key.
    case otherKey
    /// Nothing could be given, and why.
    case notGiven(String)
    case unknown
  }
}
