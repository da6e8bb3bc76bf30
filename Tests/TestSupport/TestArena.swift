import SecretMemory

/// One arena for a whole test process.
public enum TestArena {
  /// Touch this before the first secret is made.
  public static let ready: Bool = {
    do throws(SecretMemoryError) {
      try SecretArena.install(capacity: 64 << 20, allowMlockFallback: true)
      return true
    } catch {
      return error == .refused(errno: 114 /* EALREADY */)
    }
  }()
}
