internal import Wire

/// A hash index that finds the rules that cover a request; the number of look-ups does not depend on the number of rules.
///
/// Each rule is entered under every combination of user, group, unit, executable, operation and key pattern that it
/// states, with nil for a kind that it does not state. A request looks up the few combinations that could cover it. Rules
/// that are in force only at times are listed together with the rules after them for the same combination; only such a
/// look-up finds several rules.
struct PolicyIndex: Sendable {
  private var covering: [Entry: Candidates] = [:]
  /// Which kinds of caller conditions the rules for an operation state.
  private var shapes: [Opcode: Set<Shape>] = [:]
  private var groups: Set<UInt32> = []
  /// The distinct depths of the rules' prefixes.
  private var depths: [Int] = []

  init(_ rules: [Rule]) {
    for (number, rule) in rules.enumerated() { insert(rule, number) }
    depths = Set(rules.flatMap(\.keys).compactMap(\.depth)).sorted()
  }

  /// The rules that cover the request at some time or other, in no order, and how many look-ups that took.
  ///
  /// Of the rules after one that is always in force some may be missing.
  func search(_ caller: Caller, _ opcode: Opcode, label: String?) -> (rules: [Int], lookups: Int) {
    // The same number for every label, so that the time of a refusal does not tell which keys exist.
    let keys = label.map { KeyPattern.candidates(for: $0, depths: depths).map(KeyPattern?.some) } ?? [nil]
    let known = caller.allGroups.filter { groups.contains($0) && $0 != Principal.overflow }
    var (found, lookups): ([Int], Int) = ([], 0)
    for shape in shapes[opcode] ?? [] {
      guard let entry = Entry(opcode, caller, shape) else { continue }
      for group in shape.contains(.group) ? known.map(UInt32?.some) : [nil] {
        for key in keys {
          lookups += 1
          guard let candidates = covering[entry.with(group: group, key: key)] else { continue }
          found += candidates.numbers
        }
      }
    }
    return (found, lookups)
  }

  private mutating func insert(_ rule: Rule, _ number: Int) {
    let callers = rule.callers
    groups.formUnion(callers.groups.map(\.id))
    for opcode in rule.operations {
      shapes[opcode, default: []].insert(Shape(callers))
      // nil stands for a request without a key and for a key that does not exist.
      let keys = [nil] + (opcode.traits.key.namesKeys ? rule.keys.map(KeyPattern?.some) : [])
      for user in stated(callers.users.map(\.id)) {
        for group in stated(callers.groups.map(\.id)) {
          for unit in stated(callers.units) {
            for executable in stated(callers.executables) {
              for key in keys {
                let entry = Entry(opcode: opcode, user: user, group: group, unit: unit, executable: executable, key: key)
                covering[entry, default: Candidates()].add(number, rule.validity)
              }
            }
          }
        }
      }
    }
  }

  private func stated<T>(_ values: [T]) -> [T?] { values.isEmpty ? [nil] : values }
}

extension PolicyIndex {
  /// The rules for one combination, in order, up to the first that is always in force.
  fileprivate struct Candidates {
    private var limited: [Int] = []
    private var always: Int?

    var numbers: [Int] { always.map { limited + [$0] } ?? limited }

    mutating func add(_ number: Int, _ validity: Validity) {
      guard always == nil else { return }
      if validity.isAlways { always = number } else { limited.append(number) }
    }
  }

  fileprivate struct Shape: OptionSet, Hashable {
    let rawValue: UInt8
    static let user = Shape(rawValue: 1)
    static let group = Shape(rawValue: 2)
    static let unit = Shape(rawValue: 4)
    static let executable = Shape(rawValue: 8)
  }

  fileprivate struct Entry: Hashable {
    let opcode: Opcode
    let user: UInt32?
    var group: UInt32?
    let unit: String?
    let executable: String?
    var key: KeyPattern?

    func with(group: UInt32?, key: KeyPattern?) -> Entry {
      var entry = self
      (entry.group, entry.key) = (group, key)
      return entry
    }
  }
}

extension PolicyIndex.Shape {
  fileprivate init(_ callers: CallerRule) {
    self = []
    if !callers.users.isEmpty { insert(.user) }
    if !callers.groups.isEmpty { insert(.group) }
    if !callers.units.isEmpty { insert(.unit) }
    if !callers.executables.isEmpty { insert(.executable) }
  }
}

extension PolicyIndex.Entry {
  /// The caller's entry among rules of one shape, without group and key; nil if no such rule can match.
  fileprivate init?(_ opcode: Opcode, _ caller: Caller, _ shape: PolicyIndex.Shape) {
    guard caller.uid != Principal.root || shape.contains(.user) else { return nil }
    if shape.contains(.unit) { guard let unit = caller.unit, unit.isASCII else { return nil } }
    if shape.contains(.executable) { guard let path = caller.executable, path.isASCII else { return nil } }
    self.init(
      opcode: opcode, user: shape.contains(.user) ? caller.uid : nil, group: nil,
      unit: shape.contains(.unit) ? caller.unit : nil,
      executable: shape.contains(.executable) ? caller.executable : nil, key: nil)
  }
}
