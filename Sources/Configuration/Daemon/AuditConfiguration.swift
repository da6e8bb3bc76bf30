/// `[audit]`: where the log is, and its name.
package struct AuditConfiguration: Sendable {
  package let directory: String
  /// The log's name in its checkpoints, such as `acme.example/kist/prod-1`; no two logs may share it.
  package let origin: String
  /// The hash that the first record names as the one before it: 64 hexadecimal digits that a ceremony ended with; nil for zeros.
  package let genesis: String?
  /// The digest of a copy whose log is lost: the store made from it begins a new log, once. 64 hexadecimal digits.
  package let lostWith: String?
  /// Bytes preallocated per segment.
  package let segmentSize: Int
  /// The age at which a segment is followed by another, even if it is not full; nil for no limit.
  package let segmentAge: Duration?
  /// Bytes kept in the directory for when its disk is full.
  package let reserve: Int
  /// In bytes; with less space left the daemon is not ready.
  package let lowSpace: Int

  init(_ table: TOMLTable) throws(ConfigurationError) {
    directory = try table.optional("directory")?.path() ?? "/var/log/kist/audit"
    genesis = try table.optional("genesis")?.digest()
    lostWith = try table.optional("lost_with")?.digest()
    segmentSize = try table.optional("segment_size")?.size(in: 1 << 20...1 << 30) ?? 64 << 20
    segmentAge = try table.optional("segment_age")?.duration(in: .seconds(3600)...(.seconds(366 * 86_400)))
    reserve = try table.optional("reserve")?.size(in: 2 << 20...1 << 30) ?? 4 << 20
    lowSpace = try table.optional("low_space")?.size(in: 1 << 20...1 << 40) ?? 256 << 20
    let expected =
      "a name of this log of its own, such as \"acme.example/kist/prod-1\", of printable ASCII without spaces, '+' or quotes"
    // C2SP signed-note: a key name has no space and no plus sign.
    origin = try table.required("origin", expected).text(expected) { $0.isToken(count: 128, without: "+\"\\") ? $0 : nil }
  }
}
