import Audit
import Format
import Host
import KeyStore
import ServiceHarness
import TestSupport
import Testing

@testable import Service

/// What a change of the key store writes to the manifest of the log.
@Suite struct AnchorTests {
  @Test(
    "while others commit, the anchor's size and root are of one head; a manifest with a mixed one would not open again"
  ) func oneHead() throws {
    let test = try TestService()
    try test.unlock()
    let session = try #require(test.service.unlocked)
    let seen = Locked<Set<AuditAnchor>>([])
    let isOver = Locked(false)
    let ended = Handover<Void>()
    let reads = Thread.start {
      while !isOver.withLock({ $0 }) {
        let anchor = session.anchor
        seen.withLock { _ = $0.insert(anchor) }
      }
      ended.give(())
    }
    try #require(reads)
    var heads: Set = [session.anchor]
    var calls = 0
    // On a busy machine the other thread may be late.
    while calls < 500 || calls < 100_000 && seen.withLock({ $0.count }) < 2 {
      calls += 1
      _ = try test.call(.describe)
      heads.insert(AuditAnchor(size: session.log.head.size, root: session.log.head.root))
    }
    isOver.withLock { $0 = true }
    ended.take()
    #expect(seen.withLock { $0 }.count > 1)
    #expect(seen.withLock { $0 }.subtracting(heads) == [])
  }
}
