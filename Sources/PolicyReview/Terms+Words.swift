internal import Policy

extension Terms {
  /// How these differ from other terms; empty if they do not.
  package func words(insteadOf old: Terms) -> [String] {
    var words: [String] = []
    let (gained, lost) = (released.filter { !old.released.contains($0) }, old.released.filter { !released.contains($0) })
    if !gained.isEmpty { words.append("releases \(gained.joined(separator: ", ")) too") }
    if !lost.isEmpty { words.append("no longer releases \(lost.joined(separator: ", "))") }
    if showsStage != old.showsStage { words.append(showsStage ? "shows stages" : "no longer shows stages") }
    if needsApproval != old.needsApproval { words.append(needsApproval ? "needs an approval" : "needs no approval any more") }
    words += Self.limit("rate", rate?.description, old.rate?.description)
    words += Self.limit("quota", quota?.description, old.quota?.description)
    words += Self.limit("key quota", keyQuota?.description, old.keyQuota?.description)
    if listed != old.listed { words.append("lists \(listed.joined(separator: ", ")) instead of \(old.listed.joined(separator: ", "))") }
    return words
  }

  private static func limit(_ name: String, _ new: String?, _ old: String?) -> [String] {
    guard new != old else { return [] }
    return ["\(name) \(new ?? "unlimited") instead of \(old ?? "unlimited")"]
  }

  /// What they give to a caller that had nothing.
  package var words: [String] {
    (released.isEmpty ? [] : ["releases \(released.joined(separator: ", "))"]) + (showsStage ? ["shows stages"] : [])
      + (needsApproval ? ["needs an approval"] : [])
      + [rate.map { "rate \($0)" }, quota.map { "quota \($0)" }, keyQuota.map { "key quota \($0)" }].compactMap { $0 }
      + (listed.isEmpty ? [] : ["lists \(listed.joined(separator: ", "))"])
  }
}
