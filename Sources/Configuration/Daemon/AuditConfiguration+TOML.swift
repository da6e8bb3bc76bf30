internal import Policy

extension AuditConfiguration {
  init(_ table: TOMLTable) throws(ConfigurationError) {
    self.init()
    directory = try table.optional("directory")?.path() ?? "/var/log/kist/audit"
    genesis = try table.optional("genesis")?.digest()
    lostWith = try table.optional("lost_with")?.digest()
    segmentSize = try table.optional("segment_size")?.size(in: Self.segmentSizes) ?? 64 << 20
    segmentAge = try table.optional("segment_age")?.duration(in: .seconds(3600)...(.seconds(366 * 86_400)))
    reserve = try table.optional("reserve")?.size(in: Self.reserves) ?? 4 << 20
    lowSpace = try table.optional("low_space")?.size(in: 1 << 20...1 << 40) ?? 256 << 20
    let expected =
      "a name of this log of its own, such as \"acme.example/kist/prod-1\", of printable ASCII without spaces, '+' or quotes"
    // C2SP signed-note: a key name has no space and no plus sign.
    origin = try table.required("origin", expected).text(expected) { $0.isToken(count: 128, without: "+\"\\") ? $0 : nil }
  }
}
