internal import Format

/// The result of a drill, which compares keys rebuilt from a backup with the daemon's.
package struct Drill: Hashable, Sendable {
  /// The generation of the backup's manifest.
  package let generation: UInt64
  /// Keys that are the same in both.
  package let matched: UInt64
  /// Keys that only the daemon has.
  package let missing: UInt64
  /// Keys with the same id but another check value.
  package let different: UInt64
  /// Keys that only the backup has.
  package let surplus: UInt64
  /// Whether other records tell of other keys of the same drill.
  package let isPart: Bool

  package init(generation: UInt64, matched: UInt64, missing: UInt64, different: UInt64, surplus: UInt64, isPart: Bool = false) {
    self.isPart = isPart
    (self.generation, self.matched, self.missing, self.different, self.surplus) = (generation, matched, missing, different, surplus)
  }

  /// Whether all of the daemon's keys can be recovered from the backup.
  package var isPassed: Bool { matched > 0 && missing == 0 && different == 0 && surplus == 0 }
}

extension Drill {
  /// The members of `in.drill`.
  func write(into writer: inout CanonicalJSONWriter) {
    let counts = [("different", different), ("generation", generation), ("matched", matched), ("missing", missing)]
    for (name, value) in counts { writer.member(name, .integer(Int64(clamping: value))) }
    if isPart { writer.member("part", .bool(true)) }
    writer.member("surplus", .integer(Int64(clamping: surplus)))
  }
}

extension CanonicalJSONReader {
  @_lifetime(self: copy self)
  mutating func readDrill() throws(CanonicalJSONError) -> Drill {
    var isPart = false
    var (different, generation, matched, missing, surplus): (UInt64?, UInt64?, UInt64?, UInt64?, UInt64?)
    try readObject { (reader, name) throws(CanonicalJSONError) in
      switch name {
      case "different": different = try reader.readUnsigned()
      case "generation": generation = try reader.readUnsigned()
      case "matched": matched = try reader.readUnsigned()
      case "missing": missing = try reader.readUnsigned()
      case "part": isPart = try reader.readBool()
      case "surplus": surplus = try reader.readUnsigned()
      default: try reader.skip()
      }
    }
    guard let different, let generation, let matched, let missing, let surplus else { throw .schema }
    return Drill(generation: generation, matched: matched, missing: missing, different: different, surplus: surplus, isPart: isPart)
  }
}
