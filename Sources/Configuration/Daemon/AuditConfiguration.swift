/// `[audit]`: where the log is and what it calls itself.
package struct AuditConfiguration: Sendable {
  package let directory: String
  /// The log's name in its checkpoints, such as `acme.example/kist/prod-1`; no two logs may share it.
  package let origin: String
  /// Bytes preallocated per segment.
  package let segmentSize: Int

  init(_ table: TOMLTable) throws(ConfigurationError) {
    directory = try table.optional("directory")?.path() ?? "/var/log/kist/audit"
    let expected = "a name of this log of its own, such as \"acme.example/kist/prod-1\", of printable ASCII without spaces, '+' or quotes"
    origin = try table.required("origin", expected).text(expected) { Self.isOrigin($0) ? $0 : nil }
    segmentSize = try table.optional("segment_size")?.size(in: 1 << 20...1 << 30) ?? 64 << 20
  }

  /// C2SP signed-note: a key name has no space and no plus sign.
  private static func isOrigin(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
  }
}
