/// Counts what happened to each case of a vector file, so that a test that silently skips cases
/// fails.
public struct Tally {
  public private(set) var counts: [String: Int] = [:]

  public init() {}

  public mutating func add(_ outcome: String) { counts[outcome, default: 0] += 1 }
}
