import Configuration
import Doctor
import Format

extension Command {
  static let doctor = Command(
    name: "doctor",
    summary: "say what is wrong on this host, or will be, and what to do",
    usage: """
      Usage: kist doctor [--config PATH] [--certificate FILE]...
                  [--domain-association FILE]... [--checkpoint FILE]...
                  [--json | --metrics | --restart]

      Examines configuration, policy, certificates, key store, log, clock, disks,
      units, sockets, permissions and kernel, whether the daemon runs or not, and
      changes nothing. Each finding has a stable id, a cause and a cure. Run it as
      root: other users cannot see everything, and then it says so. It leaves no
      audit record.

        --config PATH      the daemon's configuration (default: /etc/kist/kist.toml)
        --certificate FILE
                           a merchant's certificate from Apple: compared with the
                           keys of the store, before you import it
        --domain-association FILE
                           what your web site serves as
                           .well-known/apple-developer-merchantid-domain-association
        --checkpoint FILE  a checkpoint that was kept elsewhere: the log must not be
                           shorter, and a witness must have signed it recently
        --json             answer in JSON
        --metrics          in the text format of Prometheus: how many findings there
                           are of each kind, and when the last backup, drill, review
                           and witness were
        --restart          only what would keep kistd from starting again with nobody
                           there, for which a package asks before it restarts kistd

      Exit codes: 0 nothing was found, 1 there is a problem, 3 there are warnings
      only; with --metrics always 0.

      """,
    options: [
      "config", .values("certificate"), .values("domain-association"),
      .values("checkpoint"), .json, .flag("metrics"), .flag("restart"),
    ]
  ) { arguments throws(CommandFailure) in
    guard ["metrics", "json", "restart"].count(where: arguments.has) < 2 else {
      throw .usage("--metrics, --json and --restart exclude each other")
    }
    let surroundings = try Surroundings(arguments)
    if arguments.has("metrics") { return Output.write(CheckUp.metrics(in: surroundings)) }
    let findings =
      try arguments.has("restart")
      ? obstacles(in: surroundings) : CheckUp.findings(in: surroundings)
    arguments.answer(
      ["findings": findings.map(\.json), "ok": findings.isEmpty],
      findings.isEmpty ? "Nothing was found.\n" : findings.map(\.text).joined(separator: "\n"),
      colours: ["Nothing": .green, "PROBLEM": .red, "warning": .yellow])
    guard findings.exitCode == 0 else { throw CommandFailure(code: findings.exitCode) }
  }

  private static func obstacles(in surroundings: Surroundings) throws(CommandFailure) -> [Finding] {
    guard let obstacles = CheckUp.startObstacles(in: surroundings) else {
      throw .failed(
        "people unlock its key store; when they are there: systemctl restart kistd, and kist unlock"
      )
    }
    return obstacles
  }
}

extension Finding {
  /// The id and what it is about, then cause and cure.
  fileprivate var text: String {
    "\(trouble.severity == .problem ? "PROBLEM" : "warning") \(Printable.line([trouble.rawValue, place].filter { !$0.isEmpty }.joined(separator: " ")))\n"
      + "  \(Printable.line(cause))\n  \(Printable.line(cure))\n"
  }

  fileprivate var json: CanonicalJSON {
    [
      "about": place, "cause": cause, "cure": cure, "id": trouble.rawValue,
      "severity": trouble.severity.rawValue,
    ]
  }
}
