import Audit
import Crypto
import Format
import Foundation
import Operations
import Policy
import Service
import ServiceHarness
import TestSupport
import Testing

/// [FLEET-F3] What happens while the store is away.
@Suite struct LocalOpeningTests {
  private let scene: FleetScene
  private static let file = "/state/audit.recollection"

  init() throws { scene = try FleetScene() }

  private func events(_ host: FleetScene.Host, _ name: String) throws -> [Record] {
    try host.service.records().filter { $0.operation == name }
  }

  private func ready(_ host: FleetScene.Host) throws -> Status {
    try host.service.call(.ready).header.status
  }

  @Test(
    "[FLEET-F3] nothing is opened: busy, stage claims in the record, readiness red; then it opens")
  func away() throws {
    let paris = try scene.host("paris")
    let request = try scene.request()
    scene.store.isAway = true
    #expect(try scene.open(request, paris) == "busy" && ready(paris) == .busy)
    let record = try #require(paris.service.records().last)
    #expect(
      record.status == .busy && record.stage == "claims" && record.inputs.claim != nil
        && record.released.isEmpty)
    scene.store.isAway = false
    #expect(try ready(paris) == .ok && scene.open(request, paris) == "ok")
    #expect(paris.timers.count == 0)
  }

  @Test("[FLEET-F3] many openings without the store have one timer, and are claimed together")
  func together() throws {
    let paris = try scene.host("paris", opensLocally: true)
    scene.store.isAway = true
    for _ in 0..<5 { #expect(try scene.open(scene.request(), paris) == "ok") }
    #expect(paris.timers.count == 1)
    let before = scene.store.asked.count
    scene.store.isAway = false
    paris.timers.run()
    #expect(
      try events(paris, "opening-claimed").count == 5 && scene.store.asked.count == before + 1
        && paris.timers.count == 0)
    scene.store.isAway = true
    #expect(try scene.open(scene.request(), paris) == "ok" && paris.timers.count == 1)
  }

  @Test("[FLEET-F3] without an active key of the fleet the store is as good as away") func keyless()
    throws
  {
    let paris = try scene.host("paris", hasKey: false)
    #expect(try scene.open(scene.request(), paris) == "busy" && ready(paris) == .busy)
    #expect(scene.store.asked.isEmpty)
  }

  @Test(
    "[FLEET-F3] a merchant with local claims is served; the opening is marked, and claimed when the store is back",
    arguments: [false, true])
  func local(isRepeatable: Bool) throws {
    let paris = try scene.host("paris", opensLocally: true)
    let request = try scene.request(retryKey: isRepeatable ? FleetScene.retryKey : [])
    scene.store.isAway = true
    #expect(try scene.open(request, paris) == "ok" && ready(paris) == .ok)
    #expect(
      try scene.open(request, paris) == (isRepeatable ? "ok" : "replay"),
      "the host's own replay guard stands")
    let opening = try #require(paris.openings().first)
    #expect(
      opening.inputs.local?.day == 20_254 && (opening.inputs.local?.retry != nil) == isRepeatable)
    paris.timers.run()
    #expect(
      try events(paris, "opening-claimed").isEmpty && paris.timers.count == 1, "it tries again")
    scene.store.isAway = false
    paris.timers.run()
    let event = try #require(events(paris, "opening-claimed").first)
    #expect(
      event.eventNumber("opening") == Int64(opening.sequence)
        && event.eventText("claim") == opening.inputs.claim?.hex)
    #expect(Array(scene.store.holders.values) == ["paris"] && paris.timers.count == 0)
    #expect(try scene.open(request, scene.host("rome")) == (isRepeatable ? "ok" : "replay"))
    #expect(paris.reports.withLock { $0 }.isEmpty)
  }

  @Test("[FLEET-F3] only of that merchant, and only while the store is away") func marked() throws {
    let paris = try scene.host("paris", opensLocally: true)
    #expect(try scene.open(scene.request(), paris) == "ok")
    #expect(try paris.openings().allSatisfy { $0.inputs.local == nil } && paris.timers.count == 0)
    let rome = try scene.host("rome")
    scene.store.isAway = true
    #expect(try scene.open(scene.request(), rome) == "busy")
  }

  @Test(
    "[FLEET-F3] what another host has opened meanwhile is on the record as a duplicate, and reported; the same request is none"
  )
  func duplicate() throws {
    let paris = try scene.host("paris", opensLocally: true)
    let rome = try scene.host("rome")
    let plain = try scene.request()
    let repeated = try scene.request(retryKey: FleetScene.retryKey)
    scene.store.isAway = true
    for request in [plain, repeated] { #expect(try scene.open(request, paris) == "ok") }
    scene.store.isAway = false
    for request in [plain, repeated] { #expect(try scene.open(request, rome) == "ok") }
    paris.timers.run()
    let first = try #require(paris.openings().first)
    let there = try #require(rome.openings().first)
    let event = try #require(events(paris, "duplicate-opening").first)
    #expect(
      event.eventNumber("opening") == Int64(first.sequence) && event.eventText("host") == "rome")
    #expect(
      event.eventText("claim") == there.inputs.claim?.hex
        && first.inputs.claim == there.inputs.claim)
    #expect(paris.reports.withLock { $0 } == ["\(first.sequence) rome"])
    #expect(
      try events(paris, "duplicate-opening").count == 1
        && events(paris, "opening-claimed").count == 1)
  }

  @Test(
    "[FLEET-F3] the metrics say whether the store is away, and what was refused, opened without it, and opened twice; none in no fleet"
  )
  func metrics() throws {
    let paris = try scene.host("paris", opensLocally: true)
    let rome = try scene.host("rome")
    func figures(_ host: FleetScene.Host) throws -> [String?] {
      let reply = try host.service.call(.metrics, on: .operators)
      let text = try Exposition(reply.body)
      return [
        "claims_away", "claims_refused_total", "claims_unanswered_total", "local_openings",
        "duplicate_openings_total",
      ].map { text["kist_" + $0] }
    }
    let here = try scene.request()
    let there = try scene.request()
    #expect(try scene.open(there, rome) == "ok" && scene.open(there, paris) == "replay")
    #expect(
      try figures(paris) == ["0", "1", "0", "0", "0"] && figures(rome) == ["0", "0", "0", "0", "0"])
    scene.store.isAway = true
    #expect(try scene.open(here, paris) == "ok" && scene.open(here, rome) == "busy")
    #expect(
      try figures(paris) == ["1", "1", "1", "1", "0"] && figures(rome) == ["1", "0", "1", "0", "0"])
    scene.store.isAway = false
    #expect(try scene.open(here, rome) == "ok")
    paris.timers.run()
    #expect(try figures(paris) == ["0", "1", "1", "0", "1"])
    let reply = try paris.service.call(.metrics, on: .operators)
    let pages = try String(
      contentsOf: Repository.root.appending(path: "docs/METRICS.md"), encoding: .utf8
    ).components(separatedBy: "\n## ")
    let page = try #require(pages.first { $0.hasPrefix("What a host in a fleet has counted\n") })
    let named = page.split(separator: "\n").compactMap {
      $0.firstMatch(of: /^\| `(kist_[a-z_]+)`/).map { String($0.output.1) }
    }
    #expect(
      try Array(Exposition(reply.body).order.filter(named.contains)) == named && named.count == 7)
    let alone = try scene.tokens.service(grants: [FleetScene.grant()])
    try alone.unlock()
    let theirs = try alone.call(.metrics, on: .operators)
    let others = try Exposition(theirs.body).samples.keys.filter { $0.contains("claim") }
    #expect(others == ["kist_busy_total{cause=claims}"])
  }

  @Test(
    "[FLEET-F3] a claim of this host's own for another request, which another host may have repeated, is a duplicate, too"
  )
  func ownDuplicate() throws {
    let paris = try scene.host("paris", opensLocally: true)
    let rome = try scene.host("rome")
    let token = try scene.tokens.mint(signedAt: scene.start)
    let first = try scene.tokens.request(token, amount: 1, retryKey: FleetScene.retryKey)
    let second = try scene.tokens.request(token)
    scene.store.losesAnswers = true
    #expect(try scene.open(first, rome) == "busy")
    scene.store.losesAnswers = false
    #expect(
      try scene.open(first, paris) == "expectation",
      "it is repeated, but its amount is not the token's")
    scene.store.isAway = true
    #expect(try scene.open(second, paris) == "ok")
    scene.store.isAway = false
    paris.timers.run()
    #expect(try events(paris, "duplicate-opening").map { $0.eventText("host") } == ["rome"])

    let athens = try scene.host("athens", opensLocally: true)
    let other = try scene.tokens.mint(signedAt: scene.start)
    #expect(
      try scene.open(scene.tokens.request(other, amount: 1, retryKey: FleetScene.retryKey), athens)
        == "expectation")
    scene.store.isAway = true
    #expect(try scene.open(scene.tokens.request(other), athens) == "ok")
    scene.store.isAway = false
    athens.timers.run()
    #expect(try events(athens, "duplicate-opening").map { $0.eventText("host") } == ["athens"])
  }

  @Test(
    "[FLEET-F3] it survives a restart, with and without the recollection, until the log says that it was claimed",
    arguments: [0, 1, 2])
  func restarts(_ way: Int) throws {
    let first = try scene.host("paris", opensLocally: true)
    scene.store.isAway = true
    #expect(try scene.open(scene.request(retryKey: FleetScene.retryKey), first) == "ok")
    let claim = try #require(first.openings().first?.inputs.claim)
    if way > 0 { #expect(first.service.service.stop()) }
    let disk = first.afterCrash()
    if way == 2 { disk.unplant(Self.file) }
    let second = try scene.host("paris", on: disk, opensLocally: true)
    second.service.service.claimLocalOpenings()
    scene.store.isAway = false
    second.timers.run()
    #expect(
      try events(second, "opening-claimed").compactMap { $0.eventText("claim") } == [claim.hex])
    #expect(scene.store.holders.keys.map(\.bytes) == [claim.bytes])
    let third = try scene.host("paris", on: second.afterCrash(), opensLocally: true)
    third.service.service.claimLocalOpenings()
    #expect(third.timers.count == 0)
  }
}
