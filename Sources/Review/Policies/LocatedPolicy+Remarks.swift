package import Configuration
package import Format
internal import Policy

extension LocatedPolicy {
  /// The further checks of `--strict`: on each grant, and on the policy as a whole.
  package func doubts(_ directory: String, at now: Timestamp) -> [ConfigurationError] {
    let ofGrants = zip(policy.rules, places).flatMap { rule, place in
      GrantDoubt.all(in: rule, at: now).map { ConfigurationError(file: place.file, position: place.position, "grant \(rule.id) \($0.sentence)") }
    }
    return ofGrants + LockOut.all(in: policy).map { ConfigurationError(file: directory, $0.sentence) }
  }

  /// A finding, with the place of its grant.
  package func remark(_ finding: GrantFinding) -> ConfigurationError {
    ConfigurationError(file: places[finding.number].file, position: places[finding.number].position, "grant \(finding.grant) \(sentence(finding.kind))")
  }

  private func sentence(_ kind: GrantFinding.Kind) -> String {
    switch kind {
    case .neverInForce: "is never in force: its hours never fall between its dates"
    case .unreachable(let deciders):
      "is never reached: \(deciders.map(named).joined(separator: ", ")) \(deciders.count == 1 ? "decides" : "decide") all that it covers"
    case .operatorsByGroup: "gives operators' operations to a group; name the operators in 'users'"
    case .needsProcess: "covers nobody: this kernel does not tell a caller's unit or executable (SO_PEERPIDFD, Linux 6.5)"
    case .overruled(let decider, let what):
      "does not decide \(what.example): \(named(decider)) comes first; this one \(what.difference.joined(separator: ", "))"
    }
  }

  private func named(_ id: String) -> String {
    let place = policy.rules.firstIndex { $0.id == id }.map { " (\(places[$0]))" } ?? ""
    return "grant \(id)\(place)"
  }
}
