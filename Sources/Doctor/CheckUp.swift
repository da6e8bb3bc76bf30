// Doctor: what is wrong on a host with Kist, or soon will be, with the cause and the cure of each finding.
// It knows the daemon's files, its units, and what it needs of the kernel; it only reads.
// The daemon must not link it, and it must not know a secret: it opens no key.
// Called by kist.

internal import Policy

/// All checks of `kist doctor`.
package enum CheckUp {
  typealias Check = @Sendable (Host) -> [Finding]

  /// The findings of every check, problems first.
  package static func findings(in surroundings: Surroundings) -> [Finding] { findings(in: Host(surroundings)) }

  /// What would keep the daemon from starting again with nobody there; nil if it needs people to unlock it.
  package static func startObstacles(in surroundings: Surroundings) -> [Finding]? {
    let host = Host(surroundings)
    if case .success(let configuration) = host.written, configuration.unlock == nil { return nil }
    return findings(in: host).filter(\.trouble.preventsStart)
  }

  static func findings(in host: Host) -> [Finding] {
    let all = checks.flatMap { $0(host) }
    return all.filter { $0.trouble.severity == .problem } + all.filter { $0.trouble.severity == .warning }
  }

  private static let checks: [Check] =
    daemonChecks + configurationChecks + accountChecks + policyChecks + grantChecks + unitChecks + unitSettingChecks + socketChecks + fileChecks + reachChecks
    + storeChecks
    + credentialChecks + keyChecks + rotationChecks + merchantChecks + certificateChecks + namedCertificateChecks + domainChecks + logChecks
    + rotationOfLogChecks + libraryChecks + evidenceChecks + spaceChecks + clockChecks + kernelChecks + leakChecks
}
