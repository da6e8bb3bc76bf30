internal import Configuration
internal import Encoding
internal import Policy

extension Command {
  static let policyCheck = Command(
    name: "policy check",
    summary: "check the policy files, without a daemon",
    usage: """
      Usage: kist policy check [--json] [DIR]

      Reads every *.toml in DIR (default /etc/kist/policy.d) as the daemon would and
      names the first mistake as FILE:LINE:COLUMN.

        --json  answer in JSON

      Exit codes: 0 the policy is good, 1 it is not.

      """,
    options: [.json],
    operands: 0...1
  ) { arguments throws(CommandFailure) in
    let directory = arguments.operands.first ?? PolicyDirectory.defaultPath
    do throws(ConfigurationError) {
      let grants = try PolicyDirectory.load(directory).rules.count
      if arguments.has("json") {
        Output.write(.object([.init("directory", .string(directory)), .init("grants", .integer(Int64(grants))), .init("ok", .bool(true))]))
      } else {
        Output.write("\(directory): good, \(grants) \(grants == 1 ? "grant" : "grants")\n")
      }
    } catch {
      if arguments.has("json") { Output.write(error.json) }
      throw CommandFailure.misconfigured(error)
    }
  }
}

extension ConfigurationError {
  fileprivate var json: CanonicalJSON {
    var members: [CanonicalJSON.Member] = [.init("file", .string(file)), .init("message", .string(message)), .init("ok", .bool(false))]
    if let position {
      members += [.init("column", .integer(Int64(position.column))), .init("line", .integer(Int64(position.line)))]
    }
    return .object(members)
  }
}
