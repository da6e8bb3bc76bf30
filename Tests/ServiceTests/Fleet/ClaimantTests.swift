import Audit
import Crypto
import Operations
import ServiceHarness
import TestSupport
import Testing

/// Under which key hosts claim, and in which run of their daemons.
@Suite struct ClaimantTests {
  private let scene: FleetScene

  init() throws { scene = try FleetScene() }

  @Test(
    "[FLEET-CLAIM-9] a host with another fleet key opens nothing, neither what the others opened nor anything else"
  ) func otherKey() throws {
    let paris = try scene.host("paris")
    let rome = try scene.host("rome", claimKey: 1...32)
    let request = try scene.request()
    #expect(try scene.open(request, paris) == "ok")
    #expect(
      try scene.open(request, rome) == "busy" && scene.open(try scene.request(), rome) == "busy")
    #expect(try rome.openings().isEmpty && scene.store.holders.count == 1)
    #expect(try scene.open(try scene.request(), paris) == "ok")
  }

  @Test(
    "[FLEET-CLAIM-10] a host put back from an image opens nothing that it opened since, and what is new"
  ) func image() throws {
    let paris = try scene.host("paris")
    #expect(try scene.open(try scene.request(), paris) == "ok")
    let image = paris.afterCrash()
    let request = try scene.request()
    #expect(try scene.open(request, paris) == "ok" && scene.open(request, paris) == "replay")
    let old = try scene.host("paris", on: image)
    #expect(
      try scene.open(request, old) == "replay" && scene.open(try scene.request(), old) == "ok")
    // Not even after the log that opened it is back.
    #expect(try scene.open(request, try scene.host("paris", on: paris.afterCrash())) == "replay")
  }

  @Test(
    "[FLEET-CLAIM-10] a host that takes another's name opens nothing that the other opened, and the other nothing of its"
  ) func otherLog() throws {
    let paris = try scene.host("paris")
    let request = try scene.request()
    #expect(try scene.open(request, paris) == "ok")
    let thief = try scene.host("paris")
    let stolen = try scene.request()
    #expect(try scene.open(request, thief) == "replay" && scene.open(stolen, thief) == "ok")
    #expect(
      try scene.open(stolen, paris) == "replay"
        && scene.open(stolen, try scene.host("paris", on: paris.afterCrash())) == "replay")
  }

  @Test(
    "[FLEET-CLAIM-10] what may be repeated is repeated after a restart, too, as late as the window lets it"
  ) func repeated() throws {
    let paris = try scene.host("paris")
    let image = paris.afterCrash()
    let request = try scene.request(retryKey: FleetScene.retryKey)
    #expect(try scene.open(request, paris) == "ok")
    let old = try scene.host("paris", on: image)
    #expect(
      try scene.open(request, old) == "ok" && old.openings().map(\.inputs.retryHost) == ["paris"])
  }
}
