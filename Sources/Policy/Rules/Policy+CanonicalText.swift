internal import Format

extension Policy {
  /// The policy in one canonical text: the same however it is written, and different for every other policy.
  ///
  /// It is TOML that loads to this policy: grants in deciding order, lists sorted, ids instead of names (the names are in
  /// comments, which show if a name came to mean another user); empty and false values are left out.
  package var canonicalText: String {
    let header = "# kist policy, canonical form 1\n"
    return rules.reduce(into: rules.isEmpty ? header + "# no grants: everything is denied\n" : header) { $0 += "\n" + $1.canonicalText }
  }
}

extension Rule {
  fileprivate var canonicalText: String {
    var lines = ["[[grant]]", "id = \(quoted(id))"]
    if !callers.users.isEmpty { lines.append("users = \(list(callers.users))") }
    if !callers.groups.isEmpty { lines.append("groups = \(list(callers.groups))") }
    if !callers.units.isEmpty { lines.append("units = \(list(callers.units))") }
    if !callers.executables.isEmpty { lines.append("executables = \(list(callers.executables))") }
    lines.append("operations = [\(operations.map { quoted($0.name) }.joined(separator: ", "))]")
    if !keys.isEmpty { lines.append("keys = \(list(keys.map(\.description)))") }
    if !releasedNames.isEmpty { lines.append("release = [\(releasedNames.map(quoted).joined(separator: ", "))]") }
    if !sealed.isEmpty { lines.append("envelope = [\(sealed.fields.map { quoted($0.name) }.joined(separator: ", "))]") }
    if let partner { lines.append("release_to = \(quoted(partner))") }
    if showsStage { lines.append("stages = true") }
    if needsApproval { lines.append("approval = true") }
    if let rate { lines.append("rate = \(quoted(rate.description))") }
    if let quota { lines.append("quota = \(quoted(quota.description))") }
    if let keyQuota { lines.append("key_quota = \(quoted(keyQuota.description))") }
    if let from = validity.from { lines.append("from = \(quoted(from.wholeSeconds))") }
    if let until = validity.until { lines.append("until = \(quoted(until.wholeSeconds))") }
    if !validity.hours.isEmpty { lines.append("hours = \(list(validity.hours.map(\.description)))") }
    return lines.joined(separator: "\n") + "\n"
  }

  private func list(_ names: [String]) -> String {
    let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return "[\(sorted.map(quoted).joined(separator: ", "))]"
  }

  private func list(_ principals: [Principal]) -> String {
    let sorted = principals.sorted { $0.id < $1.id }
    // The system allows any name, so escape it: it must not end the comment.
    let named = sorted.filter { $0.name != nil }.map { Printable.line($0.description) }.joined(separator: ", ")
    return "[\(sorted.map { "\($0.id)" }.joined(separator: ", "))]" + (named.isEmpty ? "" : "  # \(named)")
  }

  /// Names are printable ASCII, so only quotes and backslashes need escapes.
  private func quoted(_ text: String) -> String {
    var out = "\""
    for character in text {
      if character == "\"" || character == "\\" { out.append("\\") }
      out.append(character)
    }
    return out + "\""
  }
}
