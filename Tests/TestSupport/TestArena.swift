import Crypto
import Host

/// One arena for a whole test process, with OpenSSL in it.
public enum TestArena {
  /// Touch this before the first secret is made.
  public static let ready: Bool = isInstalled && isStarted

  private static var isInstalled: Bool {
    do throws(SecretMemoryError) {
      try SecretArena.install(capacity: 64 << 20, allowMlockFallback: true)
      return true
    } catch {
      return error == .refused(errno: 114 /* EALREADY */)
    }
  }

  private static var isStarted: Bool {
    do throws(CryptoError) {
      try CryptoBackend.start(arena: true)
      return true
    } catch { return false }
  }
}
