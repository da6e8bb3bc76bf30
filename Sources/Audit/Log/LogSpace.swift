/// How much room a log's disk has.
package enum LogSpace: String, Sendable {
  case ample
  /// Less than configured: records are still taken, but somebody should free space.
  case low
  /// No records are taken until there is space for the reserve again.
  case full
}
