import CLinux
import Glibc
import SecretMemory
import Testing

@Suite struct StackWipeTests {
  @Test func whatAnOperationLeftOnTheStackIsGone() {
    #expect(leftOnStack(wiping: false) >= 1024, "without the wipe the bytes must be there, or this test sees nothing")
    #expect(leftOnStack(wiping: true) < 256)  // AddressSanitizer's red zone lies outside the wiped array
  }
}

private let trace: UInt8 = 0xa7

/// Runs a thread on a stack of ours, and returns how many of the bytes it had in a local are still there.
private func leftOnStack(wiping: Bool) -> Int {
  let size = 256 << 10
  let stack = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 4096)
  unsafe stack.initializeMemory(as: UInt8.self, repeating: 0, count: size)
  defer { unsafe stack.deallocate() }
  var attributes = pthread_attr_t()
  unsafe pthread_attr_init(&attributes)
  defer { unsafe pthread_attr_destroy(&attributes) }
  unsafe pthread_attr_setstack(&attributes, stack, size)
  var thread = pthread_t()
  let started =
    if wiping {
      unsafe pthread_create(&thread, &attributes, { _ in unsafe leaveBytes(wiping: true) }, nil)
    } else {
      unsafe pthread_create(&thread, &attributes, { _ in unsafe leaveBytes(wiping: false) }, nil)
    }
  guard started == 0, pthread_join(thread, nil) == 0 else { return -1 }
  return unsafe UnsafeRawBufferPointer(start: stack, count: size).count { $0 == trace }
}

private func leaveBytes(wiping: Bool) -> UnsafeMutableRawPointer? {
  fillFrames(depth: 12)  // deeper than the thread's own end reaches
  if wiping { wipeStack() }
  return nil
}

@inline(never) private func fillFrames(depth: Int) {
  unsafe withUnsafeTemporaryAllocation(byteCount: 512, alignment: 16) { local in
    for i in local.indices { unsafe local[i] = trace }
    unsafe _ = kist_arena_contains(local.baseAddress)  // who sees the address may read the bytes: keeps the stores
    if depth > 1 { fillFrames(depth: depth - 1) }
  }
}
