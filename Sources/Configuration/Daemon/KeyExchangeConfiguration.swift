/// `[key_exchange]`: what keys may come in from other HSMs.
package struct KeyExchangeConfiguration: Sendable {
  /// Versions of key blocks besides D that may come: of `A`, `B` and `C`, none unless the file names them.
  package let oldBlocks: Set<String>

  init(_ table: TOMLTable) throws(ConfigurationError) {
    var versions: Set<String> = []
    for element in try table.optional("old_blocks")?.array("versions of key blocks") ?? [] {
      let version = try element.text("one of \"A\", \"B\", \"C\"") { ["A", "B", "C"].contains($0) ? $0 : nil }
      guard versions.insert(version).inserted else { throw element.error("stands twice in 'old_blocks'; expected once") }
    }
    oldBlocks = versions
  }
}
