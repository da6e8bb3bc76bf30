/// `[memory]`: the arena that holds every secret and all of OpenSSL's heap.
package struct MemoryConfiguration: Sendable {
  /// Bytes, a power of two.
  package let arenaSize: Int
  /// Whether the daemon may use locked memory if the kernel has no `memfd_secret`.
  package let allowsMlockFallback: Bool

  init(_ table: TOMLTable) throws(ConfigurationError) {
    arenaSize = try table.optional("arena_size")?.size(in: 4 << 20...1 << 30, powerOfTwo: true) ?? 32 << 20
    allowsMlockFallback = try table.optional("allow_mlock_fallback")?.boolean() ?? false
  }
}
