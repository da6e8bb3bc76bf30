import Format
import Policy
import ServiceHarness
import TestSupport
import Testing

/// Read this last: whatever was answered is known after a crash, since no reply leaves before its
/// record is on the disk.
@Suite struct ACrashTests {
  @Test(
    "a token that was opened stays opened, whatever the disk lost",
    arguments: SimulatedDisk.Crash.allCases)
  func opened(_ crash: SimulatedDisk.Crash) throws {
    let scene = try TokenScene()
    let before = try scene.service()
    try before.unlock()
    let request = try scene.request(signedAt: scene.clock.now)
    #expect(try scene.open(request, before) == "ok")

    // The power fails: the disk may keep what was not synced, lose it, or keep parts of it.
    let after = try scene.service(on: before.disk.afterCrash(crash))
    try after.unlock()

    // The start has read the log back, and says in it that the end was not an orderly one.
    #expect(try scene.open(request, after) == "replay")
    #expect(try after.operations().contains("unclean-start"))
  }
}
