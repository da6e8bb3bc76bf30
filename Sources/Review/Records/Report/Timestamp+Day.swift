package import Format

extension Timestamp {
  /// `2026-11-20`.
  package var day: String { String(wholeSeconds.prefix(10)) }
}
