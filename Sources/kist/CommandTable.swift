/// Everything `kist` can do; a new command is a file in `Commands` and a row here.
enum CommandTable {
  /// In the order in which `kist --help` shows them.
  static let groups: [(heading: String, rows: [Command])] = [
    (
      "For who is on call",
      [
        .status,
        .doctor,
        .top,
        .unlock,
        .lock,
        .approve,
        .fleetStatus,
        .fleetCheck,
      ]
    ),
    (
      "Keys and their custodians",
      [
        .keyGenerate,
        .keyImport,
        .keyCSR,
        .keyAttach,
        .keyList,
        .keyShow,
        .keyExport,
        .keyActivate,
        .keySuspend,
        .keyResume,
        .keyRetire,
        .keyCompromise,
        .keyDestroy,
        .keyRotate,
        .keystoreInit,
        .keystoreCredential,
        .keystoreForgetLog,
        .backup,
        .restore,
        .drill,
        .shareVerify,
        .shareProgress,
        .ceremonyPlan,
        .ceremonyRehearse,
        .ceremonyRun,
        .ceremonyResume,
        .ceremonyVerify,
      ]
    ),
    (
      "Who may do what",
      [
        .policyCheck,
        .policyExplain,
        .policyShow,
        .policyTest,
        .policyDiff,
        .policySimulate,
        .policySuggest,
        .policySwap,
      ]
    ),
    (
      "The log, for auditors",
      [
        .auditVerify,
        .auditExport,
        .auditProve,
        .auditPrune,
        .auditCompress,
        .auditCheckpoint,
        .auditCosign,
        .auditTail,
        .auditShow,
        .auditDigest,
        .auditReport,
        .auditReview,
        .auditKey,
        .inventory,
      ]
    ),
    (
      "What services ask of the daemon",
      [
        .ping,
        .describe,
        .who,
        .tokenOpen,
        .tokenVerify,
        .tokenDiagnose,
        .envelopeOpen,
        .panTokenise,
        .panDetokenise,
        .passProvision,
        .passTrace,
        .otpSign,
        .otpVerify,
        .otpEnrol,
        .otpReset,
        .primitiveSeal,
        .primitiveUnseal,
        .primitiveSign,
        .primitiveVerify,
        .primitiveMAC,
        .primitiveVerifyMAC,
        .primitiveECDH,
        .primitiveKDF,
        .primitiveUnwrap,
      ]
    ),
    (
      "A throw-away daemon, to try things",
      [
        .sandboxInit,
        .sandboxRun,
        .sandboxToken,
        .sandboxPassRequest,
        .sandboxPassOpen,
      ]
    ),
  ]

  static let rows = groups.flatMap(\.rows)
}
