internal import Policy

extension KeyExchangeConfiguration {
  init(_ table: TOMLTable) throws(ConfigurationError) {
    self.init()
    for element in try table.optional("old_blocks")?.array("versions of key blocks") ?? [] {
      let version = try element.text("one of \"A\", \"B\", \"C\"") { ["A", "B", "C"].contains($0) ? $0 : nil }
      guard !oldBlocks.contains(version) else { throw element.error("is listed twice in 'old_blocks'; expected once") }
      oldBlocks.append(version)
    }
  }
}
