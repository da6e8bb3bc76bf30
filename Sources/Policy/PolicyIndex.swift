internal import Encoding
internal import Wire

/// Finds the first rule that covers a request in a number of look-ups that does not depend on how many rules there are.
///
/// Each rule is entered for every combination of a user, a group, a unit, an executable, an operation and
/// a key pattern it states; a kind it does not state is entered as nil.  A request then looks up the few
/// combinations it could be covered by, and the least rule number found is the first rule in order.  Rules that are not
/// always in force have those behind them that state the same combination; only there does one look-up read several.
struct PolicyIndex: Sendable {
  private var covering: [Entry: Candidates] = [:]
  /// Which kinds of caller constraint the rules of an operation state.
  private var shapes: [Opcode: Set<Shape>] = [:]
  private var groups: Set<UInt32> = []
  /// How many segments the rules' prefixes have, each number once.
  private var depths: [Int] = []

  init(_ rules: [Rule]) {
    for (number, rule) in rules.enumerated() { insert(rule, number) }
    depths = Set(rules.flatMap(\.keys).compactMap(\.depth)).sorted()
  }

  /// The first rule in order that covers the request, and how many look-ups it took.
  func search(_ caller: Caller, _ opcode: Opcode, label: String?, at time: Timestamp) -> (rule: Int?, lookups: Int) {
    // As many for one label as for another: the time that a refusal takes must not tell which keys there are.
    let keys = label.map { KeyPattern.candidates(for: $0, depths: depths).map(KeyPattern?.some) } ?? [nil]
    let known = caller.allGroups.filter { groups.contains($0) && $0 != Principal.overflow }
    var (best, lookups): (Int?, Int) = (nil, 0)
    for shape in shapes[opcode] ?? [] {
      guard let entry = Entry(opcode, caller, shape) else { continue }
      for group in shape.contains(.group) ? known.map(UInt32?.some) : [nil] {
        for key in keys {
          lookups += 1
          guard let number = covering[entry.with(group: group, key: key)]?.first(at: time) else { continue }
          best = min(best ?? number, number)
        }
      }
    }
    return (best, lookups)
  }

  private mutating func insert(_ rule: Rule, _ number: Int) {
    let callers = rule.callers
    groups.formUnion(callers.groups.map(\.id))
    for opcode in rule.operations {
      shapes[opcode, default: []].insert(Shape(callers))
      // nil stands for a request without a key, and for a key that does not exist.
      let keys = [nil] + (opcode.keyUse.namesKeys ? rule.keys.map(KeyPattern?.some) : [])
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
  /// The rules that state one combination, in order, none behind one that is always in force.
  fileprivate struct Candidates {
    private var limited: [(number: Int, validity: Validity)] = []
    private var always: Int?

    func first(at time: Timestamp) -> Int? { limited.first { $0.validity.contains(time) }?.number ?? always }

    mutating func add(_ number: Int, _ validity: Validity) {
      guard always == nil else { return }
      if validity.isAlways { always = number } else { limited.append((number, validity)) }
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
  /// The caller's own entry among rules of one shape, group and key still open; nil where none can be.
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
