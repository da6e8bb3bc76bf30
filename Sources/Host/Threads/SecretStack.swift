import CLinux

/// Thread stacks in secret memory, for all work that touches a secret.
///
/// An operation's frames and spilled registers hold parts of keys: from ordinary stacks, root reads
/// an RSA key of a busy daemon within seconds. A process that installed no secret stacks, such as a
/// client, uses ordinary ones.
package enum SecretStack {
  /// Size of a stack and its guard page in bytes; `StackDepthTests` checks that the deepest use
  /// fits.
  package static let byteCount = 128 * 1024

  package struct Usage: Sendable, Equatable {
    package let kind: SecretArena.Kind?
    package let count: Int
    /// Of all stacks, in bytes, without their guard pages.
    package let capacity: Int
  }

  /// Whose stacks: who has used up its own takes nobody else's.
  package enum Pool: String, CaseIterable, Sendable {
    /// The process's own threads.
    case own
    case operators, services

    fileprivate var raw: kist_stack_pool {
      switch self {
      case .own: KIST_STACK_OWN
      case .operators: KIST_STACK_OPERATORS
      case .services: KIST_STACK_SERVICES
      }
    }
  }

  /// Maps `count` stacks for the process's own threads and more for connections, or fewer of the
  /// last if the limit on locked memory allows no more; once per process.
  ///
  /// - Throws: `SecretMemoryError.refused` if not even one can be mapped.
  package static func install(
    count: Int, operators: Int = 0, services: Int = 0, byteCount: Int = byteCount,
    allowMlockFallback: Bool
  ) throws(SecretMemoryError) {
    let error = unsafe kist_stacks_install(
      [count, operators, services].map { Int32(clamping: $0) }, byteCount,
      allowMlockFallback ? 1 : 0)
    guard error == 0 else { throw .refused(errno: error) }
  }

  package static var usage: Usage {
    let raw = kist_stacks_usage()
    return Usage(
      kind: SecretArena.Kind(raw: raw.kind), count: Int(raw.count),
      capacity: Int(raw.count) * raw.bytes)
  }

  /// How many stacks a pool has, and how many of them are taken.
  package static func usage(of pool: Pool) -> (count: Int, used: Int) {
    var used: Int32 = 0
    let count = unsafe kist_stack_count(pool.raw, &used)
    return (Int(count), Int(used))
  }

  /// Runs `body` on a secret stack of its own, which is wiped afterwards; waits until a stack is
  /// free.
  package static func run<R: ~Copyable, E: Error>(_ body: @escaping () throws(E) -> R) throws(E)
    -> R
  {
    guard isInstalled else { return try body() }
    let stack = Stack.whenFree()
    let outcome = Outcome<R, E>()
    stack.run {
      do throws(E) { outcome.result = .success(try body()) } catch {
        outcome.result = .failure(error)
      }
    }
    guard let result = outcome.result.take() else {
      preconditionFailure("the stack was left without a result")
    }
    return try result.get()
  }

  /// Runs `body` on a stack of this pool, which is wiped and free for others when this returns.
  ///
  /// - Returns: false, and `body` did not run, if no stack became free within a second.
  package static func run(in pool: Pool, _ body: @escaping () -> Void) -> Bool {
    guard isInstalled else {
      body()
      return true
    }
    guard let stack = Stack(pool) else { return false }
    stack.run(body)
    return true
  }

  /// Where a body leaves what it returns or throws.
  private final class Outcome<R: ~Copyable, E: Error> { var result: Result<R, E>? }

  static var isInstalled: Bool { kist_stacks_usage().count > 0 }

  /// A stack that its owner has alone until the owner is destroyed.
  @safe struct Stack: ~Copyable, @unchecked Sendable {
    private let base: UnsafeMutableRawPointer

    /// Waits at most a second for a free stack; nil if there is none.
    init?(_ pool: Pool = .own) {
      guard let base = unsafe kist_stack_take(pool.raw) else { return nil }
      unsafe self.base = base
    }

    static func whenFree() -> Stack {
      while true { if let stack = Stack() { return stack } }
    }

    deinit { unsafe kist_stack_give(base) }

    /// Takes an escaping closure, though it keeps none: a check that a closure did not escape puts
    /// the length of this file's path into the program.
    func run(_ body: @escaping () -> Void) {
      var body = body
      unsafe withUnsafeMutablePointer(to: &body) { place in
        unsafe kist_stack_call(
          base, kist_stacks_usage().bytes,
          { unsafe $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, place)
      }
    }
  }
}
