package import Configuration
package import Format
package import Policy

/// The least privilege that recorded requests needed: who, which operation, which keys, which
/// fields.
///
/// It names users and their units, but no executables, since a user is the least that the record
/// proves. If a grant in force names groups, so does its suggested replacement. Operators' grants
/// in force are kept as they are, because their purpose may not have come up yet.
package struct PolicySuggestion {
  private var needs: [Need: Observed] = [:]
  private let inForce: Policy
  /// What the records call users.
  private var names: [UInt32: String] = [:]
  package private(set) var requestCount = 0
  /// Names on the record that no policy can have. Such units are left out of their users' grants;
  /// such keys and users get no grant.
  package private(set) var unfitNames: Set<String> = []

  package init(inForce: Policy = .empty) { self.inForce = inForce }

  /// Counts a request, unless it was denied.
  package mutating func add(_ request: RecordedRequest) {
    guard request.wasAllowed else { return }
    requestCount += 1
    let caller = request.question.caller
    let opcode = request.question.opcode
    let grant = inForce.rules.first { $0.id == request.grant && $0.operations.contains(opcode) }
    if let grant, grant.isForOperators { return }
    guard Principal(id: caller.uid).namesSomebody else { return noteUnfit("user \(caller.uid)") }
    let label = request.question.label
    if let label, KeyPattern(label) != .label(label) { return noteUnfit("key \(label)") }
    let unit = caller.unit.flatMap { CallerRule.isUnit($0) ? $0 : nil }
    if let name = caller.unit, unit == nil { noteUnfit("unit \(name)") }
    let who =
      grant.map(\.callers).flatMap { $0.groups.isEmpty ? nil : Who.members($0) }
      ?? .user(caller.uid, unit: unit)
    if let name = caller.name { names[caller.uid] = name }
    let need = Need(who: who, opcode: opcode)
    needs[need, default: Observed()].add(
      label, Gain(released: Set(request.released), sealed: Set(request.sealed)))
  }

  /// Remembers only a few, since a log from elsewhere may have any number.
  private mutating func noteUnfit(_ name: String) {
    if unfitNames.count < 20 { unfitNames.insert(name) }
  }

  /// Narrower callers come first, so that no wider caller's grant precedes theirs: those with a
  /// unit, then users, then groups, then operators.
  ///
  /// - Parameter rate: the rate of each grant, by id.
  package func rules(_ accounts: Accounts, rate: (String) -> Rate? = { _ in nil }) throws(RuleFlaw)
    -> [Rule]
  {
    var rules: [Rule] = []
    var ids: Set<String> = []
    let kept = inForce.rules.filter(\.isForOperators)
    ids.formUnion(kept.map(\.id))
    for who in Set(needs.keys.map(\.who)).sorted() {
      let callers = who.callers { names[$0] ?? accounts.userName($0) }
      for part in parts(of: who) {
        let id = Self.id(callers, part.operations, among: &ids)
        rules.append(
          try Rule(
            id: id, callers: callers, operations: Set(part.operations), keys: part.keys,
            released: ReleasedFields(part.gain.released.compactMap { ReleasedField(name: $0) }),
            sealed: ReleasedFields(part.gain.sealed.compactMap { ReleasedField(name: $0) }),
            secrets: ReleasedSecrets(part.gain.released.compactMap { ReleasedSecret(name: $0) }),
            rate: rate(id) ?? part.leastRate))
      }
    }
    return rules + kept
  }

  /// Whether some caller listed keys but used none, so that the record does not say which keys it
  /// may see.
  package var listsUnknownKeys: Bool {
    needs.keys.contains { $0.opcode.keyUse == .covered && keys(of: $0.who).isEmpty }
  }
}

extension PolicySuggestion {
  private struct Need: Hashable {
    let who: Who
    let opcode: Opcode
  }

  private enum Who: Hashable, Comparable {
    case user(UInt32, unit: String?)
    /// The callers of a grant in force that names groups.
    case members(CallerRule)

    func callers(_ name: (UInt32) -> String?) -> CallerRule {
      switch self {
      case .user(let uid, let unit):
        CallerRule(users: [Principal(id: uid, name: name(uid))], units: unit.map { [$0] } ?? [])
      case .members(let callers): callers
      }
    }

    static func < (a: Who, b: Who) -> Bool {
      switch (a, b) {
      case (.user(let a, let one), .user(let b, let other)):
        guard a == b else { return a < b }
        guard let one, let other else { return one != nil && other == nil }
        return one.utf8.lexicographicallyPrecedes(other.utf8)
      case (.user, .members): return true
      case (.members, .user): return false
      case (.members(let a), .members(let b)):
        return a.groups.map(\.id).lexicographicallyPrecedes(b.groups.map(\.id))
      }
    }
  }

  /// The names of what a request got out.
  private struct Gain: Hashable {
    var released: Set<String> = []
    var sealed: Set<String> = []

    mutating func add(_ other: Gain) {
      released.formUnion(other.released)
      sealed.formUnion(other.sealed)
    }

    var order: String { (released.sorted() + sealed.sorted()).joined(separator: ",") }
  }

  private struct Observed {
    /// What was got out with each key.
    var gains: [String: Gain] = [:]

    mutating func add(_ label: String?, _ gain: Gain) {
      guard let label else { return }
      gains[label, default: Gain()].add(gain)
    }
  }

  /// One grant of a caller's.
  private struct Part {
    var operations: [Opcode]
    let keys: [KeyPattern]
    let gain: Gain

    /// The rate of a grant that must have a limit, if none was asked for.
    var leastRate: Rate? { operations.contains(where: \.traits.needsLimit) ? Rate("20/h") : nil }
  }

  /// Operations with the same keys share a grant, unless they release something: then each would
  /// get what the other needs.
  private func parts(of who: Who) -> [Part] {
    var parts: [Part] = []
    var places: [[KeyPattern]: Int] = [:]
    let own = needs.filter { $0.key.who == who }.sorted {
      $0.key.opcode.rawValue < $1.key.opcode.rawValue
    }
    for (need, observed) in own {
      for (keys, gain) in keys(need, observed, who) {
        // This operation always releases a PAN, whether or not the record says so.
        let gain = need.opcode == .detokenise ? Gain(released: [ReleasedField.dpan.name]) : gain
        let isAlone =
          [.tokenFields, .sealedFields, .secret].contains(need.opcode.traits.releases)
          || need.opcode.traits.needsLimit || gain != Gain()
        if !isAlone, let place = places[keys] {
          parts[place].operations.append(need.opcode)
          continue
        }
        if !isAlone { places[keys] = parts.count }
        parts.append(Part(operations: [need.opcode], keys: keys, gain: gain))
      }
    }
    return parts
  }

  /// The keys of an operation, by what was got out with them.
  private func keys(_ need: Need, _ observed: Observed, _ who: Who) -> [([KeyPattern], Gain)] {
    switch need.opcode.keyUse {
    case .never: return [([], Gain())]
    case .covered:
      let keys = keys(of: who)
      return [(keys.isEmpty ? [.prefix("")] : keys, Gain())]
    case .optional, .required:
      // The record lacks the label of a key that the request must have named, so it cannot become a
      // grant.
      guard !observed.gains.isEmpty else {
        return need.opcode.keyUse.needsKeys ? [] : [([], Gain())]
      }
      let sets = Dictionary(grouping: observed.gains) { $0.value }
      return sets.map { gain, labels in
        (labels.map { KeyPattern.label($0.key) }.sorted { $0.description < $1.description }, gain)
      }
      .sorted { $0.1.order < $1.1.order }
    }
  }

  /// Every key that a caller used.
  private func keys(of who: Who) -> [KeyPattern] {
    let labels = Set(needs.filter { $0.key.who == who }.flatMap { $0.value.gains.keys })
    return labels.sorted().map { .label($0) }
  }

  private static func id(
    _ callers: CallerRule, _ operations: [Opcode], among taken: inout Set<String>
  ) -> String {
    let unit = callers.units.first.map { $0.split(separator: ".").first.map(String.init) ?? $0 }
    let user = callers.users.first.map { $0.name ?? "user-\($0.id)" }
    let group = callers.groups.first.map { $0.name ?? "group-\($0.id)" }
    let words = [unit ?? user ?? group ?? "", operations.first?.name ?? ""]
    let plain = words.joined(separator: "-").lowercased().map {
      $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) ? $0 : "-"
    }
    let stem = String(plain.prefix(56))
    var id = stem
    var number = 2
    while !taken.insert(id).inserted {
      id = "\(stem)-\(number)"
      number += 1
    }
    return id
  }
}

extension Rule {
  /// Whether any of its operations is for the operators' socket.
  fileprivate var isForOperators: Bool { operations.contains(where: \.isForOperators) }
}

/// The most uses of each grant by any one user in any minute of the log.
package struct PeakUse {
  private let policy: Policy
  private var recent: [Bucket: [Timestamp]] = [:]
  private var peaks: [String: Int] = [:]
  /// The first and the last request counted.
  package private(set) var period: (from: Timestamp, to: Timestamp)?

  package init(_ policy: Policy) { self.policy = policy }

  /// Counts the next request of the log, if it was allowed and would be.
  package mutating func replay(_ request: RecordedRequest) {
    let question = request.question
    guard request.wasAllowed, case .allowed(let grant, _) = policy.answer(question) else { return }
    period = (period?.from ?? question.time, question.time)
    let bucket = Bucket(grant: grant, person: question.caller.person)
    let minuteAgo = question.time.adding(seconds: -60)
    recent[bucket, default: []].removeAll { $0 <= minuteAgo }
    recent[bucket, default: []].append(question.time)
    peaks[grant] = max(peaks[grant] ?? 0, recent[bucket]?.count ?? 0)
  }

  /// Twice the peak per minute; nil if that is more than a rate allows.
  ///
  /// A bucket as large as the peak would already be enough: any k minutes and a fraction of the log
  /// have at most k + 1 peaks, and a bucket gives as many within k minutes.
  package func rate(of grant: String) -> Rate? { peaks[grant].flatMap { Rate("\(2 * $0)/m") } }

  private struct Bucket: Hashable {
    let grant: String
    let person: UInt32
  }
}
