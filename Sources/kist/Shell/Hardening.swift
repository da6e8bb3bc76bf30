import CLinux
import Crypto
import Glibc
import Host

/// Protects this process before it touches a secret.
enum Hardening {
  /// Where standard output is closed, a socket or a file that is written would get its number, and
  /// then the answer.
  static func holdDescriptors() {
    guard kist_hold_standard_descriptors() == 0 else {
      Output.complain(
        "kist: standard input, output or error is closed, and /dev/null cannot be opened in its place; nothing was done\n"
      )
      exit(1)
    }
  }

  /// Starts the program again without variables that make the loader or a library load code, such
  /// as `LD_PRELOAD`: that code could read what people type.
  static func leaveEnvironment() {
    guard unsafe kist_leave_environment(CommandLine.unsafeArgv) == 0 else {
      Output.complain(
        "kist: LD_*, GCONV_PATH or the like is set and cannot be removed; nothing was done\n")
      exit(1)
    }
  }

  /// Keeps memory out of core dumps and away from tracers of the same user; called first, for every
  /// command.
  static func seal() {
    _ = kist_set_dumpable(0)
    _ = kist_disable_core_dumps()
  }

  /// Sets up an arena for secrets and OpenSSL's heap, and maps a secret stack for the code that
  /// works with them.
  ///
  /// If the kernel has no `memfd_secret`, locked memory is enough, since keys are here only while
  /// the command runs.
  static func prepareForSecrets() throws(CommandFailure) {
    guard kist_dumpable() == 0 else {
      throw .failed("this process could be dumped or traced; no secret is read")
    }
    do throws(SecretMemoryError) {
      try SecretArena.install(capacity: capacity, allowMlockFallback: true)
      try SecretStack.install(count: 1, byteCount: stackSize, allowMlockFallback: true)
    } catch {
      switch error {
      case .exhausted: throw .secretMemory
      case .refused(let code):
        throw .failed(
          "\((capacity + stackSize) >> 10) KiB for secrets cannot be locked in memory: \(SystemError.text(code)); see ulimit -l"
        )
      }
    }
    try startCryptography(arena: true)
  }

  /// Prepares OpenSSL for work without secrets, such as verifying a log.
  static func prepareForPublicData() throws(CommandFailure) { try startCryptography(arena: false) }

  private static let capacity = 4 << 20
  /// A command needs more stack than a daemon's thread, for files of any form and for whole
  /// ceremonies.
  private static let stackSize = 1 << 20

  private static func startCryptography(arena: Bool) throws(CommandFailure) {
    do throws(CryptoError) { try CryptoBackend.start(arena: arena) } catch {
      throw .failed("OpenSSL or libsodium does not work here")
    }
  }
}
