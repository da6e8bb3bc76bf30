import Foundation

/// What a test tries: a part of everything in `make test`, all of it in `make soak`, which sets
/// KIST_SOAK_ROUNDS.
package enum LongForm {
  /// How often the kill rounds are to be repeated; nil in the short form.
  package static let rounds = ProcessInfo.processInfo.environment["KIST_SOAK_ROUNDS"].flatMap {
    Int($0)
  }
  package static let isOn = rounds != nil

  /// All of the indices, or in the short form one in `step`, beginning at `start`.
  package static func indices(of bytes: [UInt8], oneIn step: Int, from start: Int = 0) -> StrideTo<
    Int
  > {
    isOn
      ? stride(from: 0, to: bytes.count, by: 1)
      : stride(from: start % step, to: bytes.count, by: step)
  }
}
