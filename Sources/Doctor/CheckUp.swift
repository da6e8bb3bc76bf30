// Doctor: what is wrong on a host with Kist, or soon will be, with the cause and the cure of each finding.
// It knows the daemon's files, its units, and what it needs of the kernel; it only reads.
// The daemon must not link it, and it must not know a secret: it opens no key.

/// All checks of `kist doctor`.
package enum CheckUp {
  typealias Check = @Sendable (Host) -> [Finding]

  /// The findings of every check, problems first.
  package static func findings(in surroundings: Surroundings) -> [Finding] { findings(in: Host(surroundings)) }

  static func findings(in host: Host) -> [Finding] {
    let all = checks.flatMap { $0(host) }
    return all.filter { $0.trouble.severity == .problem } + all.filter { $0.trouble.severity == .warning }
  }

  private static let checks: [Check] =
    daemonChecks + configurationChecks + accountChecks + policyChecks + grantChecks + unitChecks + unitSettingChecks + socketChecks + fileChecks + storeChecks
    + credentialChecks + keyChecks + rotationChecks + merchantChecks + certificateChecks + namedCertificateChecks + domainChecks + logChecks
    + evidenceChecks + spaceChecks + clockChecks + kernelChecks + leakChecks
}
