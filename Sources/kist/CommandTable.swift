/// Everything `kist` can do; a new command is a file in `Commands` and a row here.
enum CommandTable {
  static let version = "0.1.0"

  static let rows: [Command] = [
    .policyCheck,
    .policyExplain,
    .policyShow,
  ]
}
