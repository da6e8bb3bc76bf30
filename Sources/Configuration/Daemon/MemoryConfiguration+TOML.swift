internal import Policy

extension MemoryConfiguration {
  init(_ table: TOMLTable) throws(ConfigurationError) {
    self.init()
    arenaSize = try table.optional("arena_size")?.size(in: Self.arenaSizes, powerOfTwo: true) ?? 32 << 20
    allowsMlockFallback = try table.optional("allow_mlock_fallback")?.boolean() ?? false
  }
}
