internal import CLinux

/// Stacks in secret memory, on which threads do whatever touches a secret.
///
/// An operation's frames and the registers that it spills hold parts of keys: on an ordinary stack root reads an RSA key from a
/// daemon at work within seconds. Where no stacks were installed, as in a client's process, ordinary ones serve.
package enum SecretStack {
  /// Size of a stack in bytes; `StackDepthTests` holds the deepest use against it.
  package static let byteCount = 128 * 1024

  package struct Usage: Sendable, Equatable {
    package let kind: SecretArena.Kind?
    package let count: Int
    /// Of all stacks, in bytes.
    package let capacity: Int
  }

  /// Maps stacks, once per process: as many as `count`, or fewer where the limit on locked memory allows no more.
  ///
  /// - Throws: `SecretMemoryError.refused` where there is not even one.
  package static func install(count: Int, byteCount: Int = byteCount, allowMlockFallback: Bool) throws(SecretMemoryError) {
    let error = kist_stacks_install(Int32(clamping: count), byteCount, allowMlockFallback ? 1 : 0)
    guard error == 0 else { throw .refused(errno: error) }
  }

  package static var usage: Usage {
    let raw = kist_stacks_usage()
    return Usage(kind: SecretArena.Kind(raw: raw.kind), count: Int(raw.count), capacity: Int(raw.count) * raw.bytes)
  }

  /// Runs `body` on a secret stack of its own, which is wiped afterwards; waits until one is free.
  package static func run<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    guard isInstalled else { return try body() }
    let stack = Stack.whenFree()
    var result: Result<R, E>?
    stack.run {
      do throws(E) { result = .success(try body()) } catch { result = .failure(error) }
    }
    guard let result = result.take() else { preconditionFailure("the stack was left without a result") }
    return try result.get()
  }

  static var isInstalled: Bool { kist_stacks_usage().count > 0 }

  /// A stack that nobody else uses, until its owner goes.
  @safe struct Stack: ~Copyable, @unchecked Sendable {
    private let base: UnsafeMutableRawPointer

    /// Waits a second at most for one to be free; nil where none is.
    init?() {
      guard let base = unsafe kist_stack_take() else { return nil }
      unsafe self.base = base
    }

    static func whenFree() -> Stack {
      while true { if let stack = Stack() { return stack } }
    }

    deinit { unsafe kist_stack_give(base) }

    func run(_ body: () -> Void) {
      withoutActuallyEscaping(body) { body in
        var body = body
        unsafe withUnsafeMutablePointer(to: &body) { place in
          unsafe kist_stack_call(base, kist_stacks_usage().bytes, { unsafe $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, place)
        }
      }
    }
  }
}
