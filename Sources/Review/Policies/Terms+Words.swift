internal import Policy

extension Terms {
  /// How these differ from other terms; empty if they do not.
  package func words(insteadOf old: Terms) -> [String] {
    var words: [String] = []
    words += Self.fields("releases", released, old.released) + Self.fields("seals", sealed, old.sealed)
    if partner != old.partner { words.append("releases to \(partner ?? "the caller") instead of \(old.partner ?? "the caller")") }
    if showsStage != old.showsStage { words.append(showsStage ? "shows stages" : "no longer shows stages") }
    if needsApproval != old.needsApproval { words.append(needsApproval ? "needs an approval" : "needs no approval any more") }
    words += Self.limit("rate", rate?.description, old.rate?.description)
    words += Self.limit("quota", quota?.description, old.quota?.description)
    words += Self.limit("key quota", keyQuota?.description, old.keyQuota?.description)
    return words
  }

  private static func fields(_ verb: String, _ new: [String], _ old: [String]) -> [String] {
    let (gained, lost) = (new.filter { !old.contains($0) }, old.filter { !new.contains($0) })
    return (gained.isEmpty ? [] : ["\(verb) \(gained.joined(separator: ", ")) too"])
      + (lost.isEmpty ? [] : ["no longer \(verb) \(lost.joined(separator: ", "))"])
  }

  private static func limit(_ name: String, _ new: String?, _ old: String?) -> [String] {
    guard new != old else { return [] }
    return ["\(name) \(new ?? "unlimited") instead of \(old ?? "unlimited")"]
  }

  /// What they give to a caller that had nothing.
  package var words: [String] {
    (released.isEmpty ? [] : ["releases \(released.joined(separator: ", "))"])
      + (sealed.isEmpty ? [] : ["seals \(sealed.joined(separator: ", "))"]) + (partner.map { ["to \($0)"] } ?? [])
      + (showsStage ? ["shows stages"] : [])
      + (needsApproval ? ["needs an approval"] : [])
      + [rate.map { "rate \($0)" }, quota.map { "quota \($0)" }, keyQuota.map { "key quota \($0)" }].compactMap { $0 }
  }
}
