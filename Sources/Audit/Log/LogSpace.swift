/// How much room a log's disk has.
package enum LogSpace: String, Sendable {
  case ample
  /// Below the configured mark: records are taken still, and somebody should free the disk.
  case low
  /// Records are not taken until there is space for the reserve again.
  case full
}
