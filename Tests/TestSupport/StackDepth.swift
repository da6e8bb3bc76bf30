import CLinux

/// How much stack a piece of work needs.
public enum StackDepth {
  /// Ample for everything there is; a guard page is not needed.
  private static let most = 4 << 20

  /// The bytes of stack, from its top to the last one that was written, that `work` used.
  public static func of(_ work: () throws -> Void) throws -> Int {
    let stack = UnsafeMutableRawPointer.allocate(byteCount: most, alignment: 4096)
    defer { unsafe stack.deallocate() }
    unsafe stack.initializeMemory(as: UInt8.self, repeating: 0, count: most)
    var outcome = Result<Void, any Error>.success(())
    withoutActuallyEscaping({ outcome = Result(catching: work) }) { call in
      var call: () -> Void = call
      unsafe withUnsafeMutablePointer(to: &call) { place in
        unsafe kist_stack_call(
          stack, most, { unsafe $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, place)
      }
    }
    try outcome.get()
    let unused =
      unsafe UnsafeRawBufferPointer(start: stack, count: most).firstIndex { $0 != 0 } ?? most
    return most - unused
  }
}
