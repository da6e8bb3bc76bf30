internal import Format

extension KeyInventory {
  /// Something that a person should look into.
  struct Concern {
    /// The key's label, or another subject.
    let about: String
    let text: String
  }

  var concerns: [Concern] {
    var found: [Concern] = []
    if place.isRehearsal { found.append(Concern(about: place.host, text: "a rehearsal's key store: none of these keys may serve production")) }
    if keys.count < place.keyCount {
      let text = "the daemon has \(place.keyCount) keys and showed \(keys.count): list-keys needs a grant for keys = [\"*\"]"
      found.append(Concern(about: place.host, text: text))
    }
    if custody == nil { found.append(Concern(about: "key-encryption key", text: "no custodian is named: --custodians takes the key store's custodians.json")) }
    for key in keys { found += key.concerns(at: made).map { Concern(about: key.label, text: $0) } }
    return found
  }
}

extension KeyInventory.Entry {
  fileprivate func concerns(at now: Timestamp) -> [String] {
    guard state != "destroyed" else { return [] }
    var found: [String] = []
    if let strength, strength < Self.leastStrength { found.append("\(strength) bits of security, fewer than \(Self.leastStrength)") }
    if strength == nil { found.append("an algorithm whose strength is not known") }
    if let notAfter {
      let seconds = notAfter.seconds - now.seconds
      if seconds < 0 { found.append("its period ended on \(notAfter.day), and it is \(state)") }
      if (0..<Self.warning).contains(seconds) { found.append("its period ends on \(notAfter.day)") }
    } else if state == "active", !isOfTheLog {
      found.append("active, and no end of its period is set")
    }
    return found
  }

  /// The log's own keys end with the log.
  private var isOfTheLog: Bool { role.hasPrefix("audit-") }

  /// SP 800-131A r2: keys of lower strength must not protect new data.
  private static let leastStrength = 112
  /// 30 days, in seconds.
  private static let warning: Int64 = 30 * 86_400
}
