internal import Crypto
internal import Format

/// The numbered script of a ceremony, as it is printed, reviewed and followed.
package struct Script: Sendable {
  package let text: String

  package init(_ plan: CeremonyPlan) {
    var lines = [
      "Ceremony  \(plan.id)", "Purpose   \(plan.purpose)", "Date      \(plan.date)", "Store     \(plan.store.path)",
    ]
    lines += plan.software.enumerated().map { ($0 == 0 ? "Software  " : "          ") + "\($1.value)  \($1.path)" }
    if let policy = plan.policy { lines += ["Policy    \(policy.digest.hex)", "          \(policy.directory)"] }
    lines += ["File      \(plan.digest.hex)"] + plan.words.map { "          " + $0 } + ["", "People"]
    for person in plan.people.all { lines.append("  \(person.name): \(person.roleText)" + (person.key.map { "; \($0.text)" } ?? "")) }
    lines += ["", "Steps", "  0. roll call, and the hash of this file read aloud"]
    for (index, step) in plan.steps.enumerated() {
      lines.append("  \(index + 1). \(type(of: step).kind)")
      lines += step.script.map { "     - " + $0 }
    }
    lines += [
      "  \(plan.steps.count + 1). the transcript is closed",
      "     - at least \(plan.quorum) of \(plan.people.witnesses.map(\.name).joined(separator: ", ")) sign its checkpoint",
    ]
    lines += ["", "Outputs"] + (plan.outputs.isEmpty ? ["  none"] : plan.outputs.map { "  " + $0 })
    text = lines.joined(separator: "\n") + "\n"
  }
}
