package import Configuration
internal import Encoding
package import Policy
internal import Wire

/// The least privilege that recorded requests needed: who, which operation, which keys, which fields.
///
/// It names users and their units, and no groups or executables: a user is the least that the record proves.
package struct PolicySuggestion {
  private var needs: [Need: Observed] = [:]
  package private(set) var requestCount = 0

  package init() {}

  /// Counts a request; those that were denied need nothing.
  package mutating func add(_ request: RecordedRequest) {
    guard request.wasAllowed else { return }
    requestCount += 1
    let need = Need(uid: request.question.caller.uid, unit: request.question.caller.unit, opcode: request.question.opcode)
    needs[need, default: Observed()].add(request.question.label, request.released)
  }

  /// Callers with a unit come first, so that a grant of the user's alone does not stand before theirs.
  ///
  /// - Parameter rate: what each grant, by id, is limited to.
  package func rules(_ accounts: Accounts, rate: (String) -> Rate? = { _ in nil }) throws(RuleFlaw) -> [Rule] {
    var rules: [Rule] = []
    var ids: Set<String> = []
    for caller in Set(needs.keys.map(Who.init)).sorted() {
      let principal = Principal(id: caller.uid, name: accounts.userName(caller.uid))
      let callers = CallerRule(users: [principal], units: caller.unit.map { [$0] } ?? [])
      for part in parts(of: caller) {
        let id = Self.id(principal, caller.unit, part.operations, among: &ids)
        rules.append(
          try Rule(
            id: id, callers: callers, operations: Set(part.operations), keys: part.keys,
            released: ReleasedFields(part.released.compactMap { ReleasedField(name: $0) }),
            secrets: ReleasedSecrets(part.released.compactMap { ReleasedSecret(name: $0) }), rate: rate(id) ?? part.leastRate))
      }
    }
    return rules
  }

  /// Whether somebody listed keys and used none, so that nothing on the record says which keys it may see.
  package var listsUnknownKeys: Bool { needs.keys.contains { $0.opcode.keyUse == .listing && keys(of: Who($0)).isEmpty } }
}

extension PolicySuggestion {
  private struct Need: Hashable {
    let uid: UInt32
    let unit: String?
    let opcode: Opcode
  }

  private struct Who: Hashable, Comparable {
    let uid: UInt32
    let unit: String?

    init(_ need: Need) { (uid, unit) = (need.uid, need.unit) }

    static func < (a: Who, b: Who) -> Bool {
      if a.uid != b.uid { return a.uid < b.uid }
      guard let one = a.unit, let other = b.unit else { return a.unit != nil && b.unit == nil }
      return one.utf8.lexicographicallyPrecedes(other.utf8)
    }
  }

  private struct Observed {
    /// What was let out with each key.
    var released: [String: Set<String>] = [:]

    mutating func add(_ label: String?, _ names: [String]) {
      guard let label else { return }
      released[label, default: []].formUnion(names)
    }
  }

  /// One grant of a caller's.
  private struct Part {
    var operations: [Opcode]
    let keys: [KeyPattern]
    let released: [String]

    /// What a grant that must have a limit gets where none was asked for.
    var leastRate: Rate? { operations.contains(where: \.needsLimit) ? Rate("20/h") : nil }
  }

  /// Operations with the same keys share a grant, unless they let something out: then what one needs would be the other's.
  private func parts(of who: Who) -> [Part] {
    var parts: [Part] = []
    var places: [[KeyPattern]: Int] = [:]
    let own = needs.filter { Who($0.key) == who }.sorted { $0.key.opcode.rawValue < $1.key.opcode.rawValue }
    for (need, observed) in own {
      for (keys, released) in keys(need, observed, who) {
        // What it does at all is to let a PAN out, on the record or not.
        let released = need.opcode == .detokenise ? [ReleasedField.dpan.name] : released
        let isAlone = need.opcode.releases || need.opcode.needsLimit || !released.isEmpty
        if !isAlone, let place = places[keys] {
          parts[place].operations.append(need.opcode)
          continue
        }
        if !isAlone { places[keys] = parts.count }
        parts.append(Part(operations: [need.opcode], keys: keys, released: released))
      }
    }
    return parts
  }

  /// The keys of an operation, by what was let out with them.
  private func keys(_ need: Need, _ observed: Observed, _ who: Who) -> [([KeyPattern], [String])] {
    switch need.opcode.keyUse {
    case .never: return [([], [])]
    case .listing:
      let keys = keys(of: who)
      return [(keys.isEmpty ? [.prefix("")] : keys, [])]
    case .optional, .required:
      guard !observed.released.isEmpty else { return [([], [])] }
      let sets = Dictionary(grouping: observed.released) { $0.value.sorted() }
      return sets.map { names, labels in (labels.map { KeyPattern.label($0.key) }.sorted { $0.description < $1.description }, names) }
        .sorted { $0.1.joined(separator: ",") < $1.1.joined(separator: ",") }
    }
  }

  /// Every key that a caller used.
  private func keys(of who: Who) -> [KeyPattern] {
    let labels = Set(needs.filter { Who($0.key) == who }.flatMap { $0.value.released.keys })
    return labels.sorted().map { .label($0) }
  }

  private static func id(_ user: Principal, _ unit: String?, _ operations: [Opcode], among taken: inout Set<String>) -> String {
    let words = [unit.map { $0.split(separator: ".").first.map(String.init) ?? $0 } ?? user.name ?? "user-\(user.id)", operations.first?.name ?? ""]
    let plain = words.joined(separator: "-").lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) ? $0 : "-" }
    let stem = String(plain.prefix(56))
    var (id, number) = (stem, 2)
    while !taken.insert(id).inserted {
      id = "\(stem)-\(number)"
      number += 1
    }
    return id
  }
}
