import CLinux
import Configuration
import Crypto
import Format
import Policy
import Review

extension Command {
  static let policyCheck = Command(
    name: "policy check",
    summary: "check the policy files, without a daemon",
    usage: """
      Usage: kist policy check [--strict] [--json] [DIR]

      Reads every *.toml in DIR (default /etc/kist/policy.d) as the daemon would and
      names each mistake as FILE:LINE:COLUMN, and each file that users other than root
      and you could change. In a good policy it names grants that nothing reaches,
      that an earlier grant partly overrides, that make operators of a group, or that
      this kernel can never match. It prints the SHA-256 that the audit log, kist
      status and a ceremony's file have for the policy.

        --strict       treat such grants as mistakes, and also grants that can never
                       match or were hardly meant, and a policy under which nobody can
                       unlock or approve
        --json         answer in JSON

      On a machine that does not have the host's accounts, such as in CI:

        --users FILE   take names of users from this passwd(5) file
        --groups FILE  take names of groups from this group(5) file
        --no-accounts  accept every name as an account; prints no SHA-256, which
                       covers the accounts' numbers

      Exit codes: 0 the policy is good, 1 it is not.

      """,
    options: [.flag("strict"), .json] + Accounts.options,
    operands: 0...1
  ) { arguments throws(CommandFailure) in
    let directory = arguments.operands.first ?? UsualPlaces.policy
    let accounts = try Accounts(arguments)
    let located: LocatedPolicy
    do throws(ConfigurationErrors) {
      located = try PolicyDirectory.check(directory, accounts: accounts)
    } catch {
      throw CommandFailure.mistaken(error, directory, isJSON: arguments.has("json"))
    }
    let digest = arguments.has("no-accounts") ? nil : located.policy.digest.hex
    let isStrict = arguments.has("strict")
    let findings = GrantFinding.all(
      in: located.policy, around: .now, tellsProcesses: kist_has_peer_pidfd() == 1)
    let remarks =
      findings.map { located.remark($0) } + (isStrict ? located.doubts(directory, at: .now) : [])
    let isGood = remarks.isEmpty || !isStrict
    let grants = located.policy.rules.count
    if arguments.has("json") {
      Output.write(
        [
          "directory": directory, "grants": grants, "ok": isGood, "remarks": remarks.map(\.json),
          "sha256": digest,
        ])
    } else {
      for remark in remarks { Output.write(remark.description + "\n") }
      if isGood {
        Output.write(
          "\(directory): good, \(grants) \(grants == 1 ? "grant" : "grants")\n"
            + (digest.map { "SHA-256 \($0)\n" } ?? ""))
      }
    }
    guard isGood else { throw CommandFailure(code: 1) }
  }
}

extension CommandFailure {
  /// The failure if the files have mistakes.
  fileprivate static func mistaken(_ errors: ConfigurationErrors, _ directory: String, isJSON: Bool)
    -> CommandFailure
  {
    if isJSON {
      Output.write([
        "directory": directory, "mistakes": errors.all.map(\.json), "ok": false,
      ])
    }
    return .misconfigured(errors.all)
  }
}

extension ConfigurationError {
  fileprivate var json: CanonicalJSON {
    [
      "column": position?.column, "file": file, "line": position?.line, "message": message,
    ]
  }
}

extension Accounts {
  /// For commands that read policy files on a machine other than their host.
  static let options: [Option] = ["users", "groups", .flag("no-accounts")]

  /// This host's accounts, unless the options name others.
  init(_ arguments: Arguments) throws(CommandFailure) {
    let users = arguments.value("users")
    let groups = arguments.value("groups")
    guard arguments.has("no-accounts") else {
      guard users != nil || groups != nil else {
        self = .system
        return
      }
      self = try onConfiguration(.files(users: users, groups: groups))
      return
    }
    guard users == nil, groups == nil else {
      throw .usage("--no-accounts goes with neither --users nor --groups")
    }
    self = .anyName()
  }
}
