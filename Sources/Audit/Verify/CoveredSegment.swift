/// A segment that was found good up to its last checkpoint.
package struct CoveredSegment: Sendable {
  package let fileName: String
  /// Up to the end of that checkpoint.
  package let byteCount: Int
  package let checkpoint: SignedCheckpoint
}
