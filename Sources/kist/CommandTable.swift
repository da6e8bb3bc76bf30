/// Everything `kist` can do; a new command is a file in `Commands` and a row here.
enum CommandTable {
  static let rows: [Command] = [
    .status,
    .unlock,
    .lock,
    .ping,
    .describe,
    .keystoreInit,
    .keyImport,
    .keyList,
    .keyShow,
    .tokenOpen,
    .tokenVerify,
    .policyCheck,
    .policyExplain,
    .policyShow,
    .auditVerify,
    .auditTail,
    .auditShow,
    .auditKey,
    .sandboxInit,
    .sandboxRun,
    .sandboxToken,
  ]
}
