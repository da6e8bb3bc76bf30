internal import Encoding

/// What a drill found when it held the keys that it rebuilt from a backup against the daemon's.
package struct Drill: Hashable, Sendable {
  /// Of the backup's manifest.
  package let generation: UInt64
  /// Keys that are the same in both.
  package let matched: UInt64
  /// Keys of the daemon's that the backup has not.
  package let missing: UInt64
  /// Keys with one id and another check value.
  package let different: UInt64
  /// Keys of the backup that the daemon never had.
  package let surplus: UInt64

  package init(generation: UInt64, matched: UInt64, missing: UInt64, different: UInt64, surplus: UInt64) {
    (self.generation, self.matched, self.missing, self.different, self.surplus) = (generation, matched, missing, different, surplus)
  }

  /// Whether the daemon's keys could have been had from the backup, every one.
  package var isPassed: Bool { matched > 0 && missing == 0 && different == 0 && surplus == 0 }
}

extension Drill {
  var text: String { isPassed ? "passed" : "failed" }

  /// The members of `in.drill`.
  func write(into writer: inout CanonicalJSONWriter) {
    for (name, value) in [("different", different), ("generation", generation), ("matched", matched), ("missing", missing), ("surplus", surplus)] {
      writer.name(name)
      writer.integer(Int64(clamping: value))
    }
  }
}
