package import Configuration
package import Crypto
package import Format
internal import Policy
package import Review

/// All that the checks look at; a test sets a false root and the answers of the kernel and the daemon.
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

    package init(_ name: String, _ content: Content) { (self.name, self.content) = (name, content) }
  }

  package init(
    now: Timestamp, accounts: Accounts, kernel: KernelAnswers, version: String, freeBytes: @escaping @Sendable (String) -> Int?,
    ask: @escaping @Sendable (DaemonQuestion) -> DaemonAnswer, tryCredential: @escaping @Sendable (CredentialTrial) -> CredentialTrial.Answer
  ) {
    (self.now, self.accounts, self.kernel, self.version, self.freeBytes, self.ask) = (now, accounts, kernel, version, freeBytes, ask)
    self.tryCredential = tryCredential
  }
}
