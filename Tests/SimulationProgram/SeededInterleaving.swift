import CInterleaving
import Simulation

/// Threads meet where the seed says, and what is random is the seed's, too.
struct SeededInterleaving: Interleaving {
  func begin(_ seed: UInt64) { interleaving_begin(seed) }

  func run(_ bodies: [() -> Void]) {
    var bodies = bodies
    unsafe withUnsafeMutablePointer(to: &bodies) { place in
      unsafe interleaving_run(
        Int32(place.pointee.count),
        { bodies, number in
          unsafe bodies?.assumingMemoryBound(to: [() -> Void].self).pointee[Int(number)]()
        }, place)
    }
  }

  /// How often another thread went on than the one before.
  static var switches: UInt64 { interleaving_switches() }
}
