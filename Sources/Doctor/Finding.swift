/// Something that is wrong on a host, or soon will be.
package struct Finding: Hashable, Sendable {
  package let trouble: Trouble
  /// What it is about: a path, a unit, a key, a grant; empty for the host as a whole.
  package let place: String
  /// What is wrong, one sentence.
  package let cause: String
  /// What to do about it, one sentence.
  package let cure: String

  init(_ trouble: Trouble, _ place: String = "", _ cause: String, cure: String) {
    self.trouble = trouble
    self.place = place
    self.cause = cause
    self.cure = cure
  }
}

extension [Finding] {
  /// What `kist doctor` ends with.
  package var exitCode: Int32 { contains { $0.trouble.severity == .problem } ? 1 : isEmpty ? 0 : 3 }
}

package enum Severity: String, CaseIterable, Sendable {
  /// Kist does not work, or does not protect what it should.
  case problem
  /// It works, and somebody should look at it in time.
  case warning
}

/// Every kind of finding; the raw value is its stable id, which scripts may go by.
package enum Trouble: String, CaseIterable, Sendable {
  // daemon
  case daemonGone = "daemon-gone"
  case daemonSilent = "daemon-silent"
  case daemonLocked = "daemon-locked"
  case daemonUnavailable = "daemon-unavailable"
  case startFailed = "start-failed"
  case reloadRefused = "reload-refused"
  case policyNotInForce = "policy-not-in-force"
  case configurationNotInForce = "configuration-not-in-force"
  case libraryReplaced = "library-replaced"
  case daemonOutdated = "daemon-outdated"
  case memoryPromise = "memory-promise"
  // configuration
  case configurationMissing = "configuration-missing"
  case configurationInvalid = "configuration-invalid"
  case configurationUntrusted = "configuration-untrusted"
  case rehearsal
  case memoryFallback = "memory-fallback"
  case confinementOff = "confinement-off"
  case backupUnset = "backup-unset"
  case originExample = "origin-example"
  case approvalOff = "approval-off"
  // accounts
  case userMissing = "user-missing"
  case groupMissing = "group-missing"
  case twoRoles = "two-roles"
  case serviceInRole = "service-in-role"
  case subuidUnread = "subuid-unread"
  // policy
  case policyMissing = "policy-missing"
  case policyInvalid = "policy-invalid"
  case policyUntrusted = "policy-untrusted"
  case policyEmpty = "policy-empty"
  case policyNobodyUnlocks = "policy-nobody-unlocks"
  case policyNobodyApproves = "policy-nobody-approves"
  case grantExecutables = "grant-executables"
  case grantPANWithoutCryptogram = "grant-pan-without-cryptogram"
  case grantEnded = "grant-ended"
  case grantUnitName = "grant-unit-name"
  case grantReleasesNothing = "grant-releases-nothing"
  case grantSharedByContainers = "grant-shared-by-containers"
  case grantUnlimited = "grant-unlimited"
  case grantPartnerMissing = "grant-partner-missing"
  case grantUnreachable = "grant-unreachable"
  case grantNeverInForce = "grant-never-in-force"
  case grantOverruled = "grant-overruled"
  case grantToGroup = "grant-to-group"
  case grantNeedsKernel = "grant-needs-kernel"
  case grantUserOutsideGroup = "grant-user-outside-group"
  // units and sockets
  case unitMissing = "unit-missing"
  case unitMasked = "unit-masked"
  case unitReplaced = "unit-replaced"
  case unitWeakened = "unit-weakened"
  case unitDisabled = "unit-disabled"
  case unitBlocksCall = "unit-blocks-call"
  case unitMemoryLimit = "unit-memory-limit"
  case watchdogWithPeople = "watchdog-with-people"
  case socketMissing = "socket-missing"
  case socketPath = "socket-path"
  case socketMode = "socket-mode"
  case socketGroup = "socket-group"
  // files
  case notExamined = "not-examined"
  case directoryMissing = "directory-missing"
  case fileKind = "file-kind"
  case fileOwner = "file-owner"
  case fileOpen = "file-open"
  case pathUntrusted = "path-untrusted"
  case daemonShutOut = "daemon-shut-out"
  case roleShutOut = "role-shut-out"
  case logGroup = "log-group"
  // key store
  case storeMissing = "store-missing"
  case storeCutOff = "store-cut-off"
  case storeDamaged = "store-damaged"
  case storeKind = "store-kind"
  case storeRestored = "store-restored"
  case storeFilling = "store-filling"
  case credentialMissing = "credential-missing"
  case credentialSize = "credential-size"
  case credentialNotLoaded = "credential-not-loaded"
  case credentialWrong = "credential-wrong"
  case credentialNotGiven = "credential-not-given"
  // keys
  case keyEnded = "key-ended"
  case keyEnding = "key-ending"
  case keySuspended = "key-suspended"
  case keyUsedUp = "key-used-up"
  case keyNotQuiet = "key-not-quiet"
  case keyQuiet = "key-quiet"
  case keyUngranted = "key-ungranted"
  case standInKeyMissing = "stand-in-key-missing"
  case merchantUnknown = "merchant-unknown"
  case merchantOnlyRSA = "merchant-only-rsa"
  case surrogateLikePAN = "surrogate-like-pan"
  case surrogateLeavesOut = "surrogate-leaves-out"
  // certificates
  case certificateMissing = "certificate-missing"
  case certificateChanged = "certificate-changed"
  case certificatePurpose = "certificate-purpose"
  case certificateEnded = "certificate-ended"
  case certificateEnding = "certificate-ending"
  case certificateNotBegun = "certificate-not-begun"
  case certificateWithoutKey = "certificate-without-key"
  case certificateMerchant = "certificate-merchant"
  case certificateInconsistent = "certificate-inconsistent"
  case certificateRSA = "certificate-rsa"
  case issuerInvalid = "issuer-invalid"
  case issuerEnding = "issuer-ending"
  case domainAssociationChanged = "domain-association-changed"
  case domainAssociationSize = "domain-association-size"
  // log and what shows that somebody looks at it
  case logMissing = "log-missing"
  case logCut = "log-cut"
  case logOrigin = "log-origin"
  case logUnreadable = "log-unreadable"
  case logRotated = "log-rotated"
  case backupStale = "backup-stale"
  case drillStale = "drill-stale"
  case reviewStale = "review-stale"
  case witnessStale = "witness-stale"
  case witnessMissing = "witness-missing"
  // host
  case diskFull = "disk-full"
  case diskLow = "disk-low"
  case inodesLow = "inodes-low"
  case clockUnsynchronised = "clock-unsynchronised"
  case clockBehindLog = "clock-behind-log"
  case kernelTooOld = "kernel-too-old"
  case secretMemoryOff = "secret-memory-off"
  case secretMemoryBlocked = "secret-memory-blocked"
  case secretMemoryLimit = "secret-memory-limit"
  case landlockMissing = "landlock-missing"
  case seccompMissing = "seccomp-missing"
  case swapUnencrypted = "swap-unencrypted"
  case corePattern = "core-pattern"
  case dumpableSetuid = "dumpable-setuid"
  case ptraceScope = "ptrace-scope"
  case copyCapability = "copy-capability"
}

extension Trouble {
  package var severity: Severity { Self.problems.contains(self) ? .problem : .warning }

  /// What keeps Kist from working or from protecting what it should; the others are warnings.
  private static let problems: Set<Trouble> = [
    .daemonGone, .daemonSilent, .daemonLocked, .daemonUnavailable, .startFailed, .reloadRefused,
    .memoryPromise,
    .configurationMissing, .configurationInvalid, .configurationUntrusted, .userMissing,
    .groupMissing, .subuidUnread,
    .policyMissing, .policyInvalid, .policyUntrusted, .policyEmpty, .policyNobodyUnlocks,
    .grantExecutables,
    .unitMissing, .unitMasked, .unitBlocksCall, .unitMemoryLimit, .socketMissing, .socketPath,
    .socketMode, .socketGroup,
    .directoryMissing, .fileKind, .fileOwner, .fileOpen, .pathUntrusted, .daemonShutOut,
    .roleShutOut,
    .storeMissing, .storeCutOff, .storeDamaged, .storeKind, .credentialMissing, .credentialSize,
    .credentialNotLoaded, .credentialWrong, .credentialNotGiven,
    .keyEnded, .keyUsedUp, .standInKeyMissing, .certificateMissing, .certificateChanged,
    .certificatePurpose, .certificateEnded,
    .certificateNotBegun, .certificateWithoutKey, .certificateMerchant, .certificateInconsistent,
    .certificateRSA, .issuerInvalid, .domainAssociationChanged,
    .domainAssociationSize, .logMissing, .logCut, .logOrigin, .logUnreadable, .logRotated,
    .diskFull, .inodesLow, .clockBehindLog, .kernelTooOld,
    .secretMemoryOff,
    .secretMemoryBlocked, .secretMemoryLimit, .landlockMissing, .seccompMissing,
  ]

  /// Whether it keeps the daemon from starting again.
  var preventsStart: Bool { Self.startObstacles.contains(self) }

  private static let startObstacles: Set<Trouble> = [
    .configurationMissing, .configurationInvalid, .configurationUntrusted, .userMissing,
    .groupMissing, .subuidUnread, .policyMissing, .policyInvalid,
    .policyUntrusted, .grantExecutables, .unitMissing, .unitMasked, .unitBlocksCall,
    .unitMemoryLimit, .directoryMissing, .fileKind, .fileOwner,
    .pathUntrusted, .daemonShutOut, .storeMissing, .storeCutOff, .storeDamaged, .storeKind,
    .credentialMissing, .credentialSize, .credentialNotLoaded,
    .credentialWrong, .credentialNotGiven, .issuerInvalid, .logMissing, .logCut, .logOrigin,
    .logUnreadable, .kernelTooOld, .secretMemoryOff,
    .secretMemoryBlocked, .landlockMissing, .seccompMissing,
  ]
}
