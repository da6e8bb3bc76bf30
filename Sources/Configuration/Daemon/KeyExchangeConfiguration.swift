/// `[key_exchange]`: in which forms keys may be imported from other HSMs.
package struct KeyExchangeConfiguration: Sendable {
  /// Which of the key block versions `A`, `B` and `C` are accepted besides D; by default none.
  package let oldBlocks: Set<String>

  init(_ table: TOMLTable) throws(ConfigurationError) {
    var versions: Set<String> = []
    for element in try table.optional("old_blocks")?.array("versions of key blocks") ?? [] {
      let version = try element.text("one of \"A\", \"B\", \"C\"") { ["A", "B", "C"].contains($0) ? $0 : nil }
      guard versions.insert(version).inserted else { throw element.error("is listed twice in 'old_blocks'; expected once") }
    }
    oldBlocks = versions
  }
}
