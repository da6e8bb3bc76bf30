import Audit
import Encoding
import Service
import ServiceHarness
import TestSupport
import Testing
import Wire

/// What a service knows of tokens that it opened before it was started again.
@Suite struct RecollectionTests {
  private let scene: TokenScene
  private let start = TestService.start

  init() throws { scene = try TokenScene() }

  /// Opens a token, and says what came of it.
  private func expect(_ outcome: String, of token: [UInt8], _ service: TestService, at place: SourceLocation = #_sourceLocation) throws {
    let found = try scene.open(token, service)
    #expect(found == outcome, sourceLocation: place)
  }

  private func segments(_ service: TestService) throws -> [String] { try service.disk.list("/audit").filter { $0.hasSuffix(".log") }.sorted() }

  @Test("[OP-OPEN-6] a token is not opened again after the segment of its record is gone, and later ones are") func segmentGone() throws {
    let service = try scene.service(segmentSize: 4096)
    try service.unlock()
    let token = try scene.request(signedAt: start)
    try expect("ok", of: token, service)
    while try segments(service).count < 3 { #expect(try service.status(.random, body: ServiceTests.random) == .ok) }
    #expect(service.service.stop())
    service.disk.unplant("/audit/" + (try segments(service)[0]))

    let again = try scene.service(on: service.disk.afterCrash(.keepsUnsynced))
    try again.unlock()
    try expect("signing-time", of: token, again)
    #expect(try again.operations().contains("records-unread"))
    scene.clock.now = start.adding(seconds: 300)
    try expect("ok", of: scene.request(signedAt: scene.clock.now), again)
  }

  @Test("[OP-OPEN-6] a clock that is ahead at a start refuses no token once it is right") func clockAheadAtStart() throws {
    let service = try scene.service()
    try service.unlock()
    let token = try scene.request(signedAt: start)
    try expect("ok", of: token, service)
    #expect(service.service.stop())
    scene.clock.now = start.adding(seconds: 86_400)
    let again = try scene.service(on: service.disk.afterCrash(.losesUnsynced))
    try again.unlock()
    scene.clock.now = start.adding(seconds: 60)
    try expect("ok", of: scene.request(signedAt: scene.clock.now), again)
    try expect("replay", of: token, again)
  }

  @Test("[OP-OPEN-6] a clock that goes back over two starts opens no token again") func clockBackOverStarts() throws {
    let first = try scene.service()
    try first.unlock()
    let token = try scene.request(signedAt: start.adding(seconds: 290))
    try expect("ok", of: token, first)
    scene.clock.now = start.adding(seconds: 1200)
    let second = try scene.service(on: first.disk.afterCrash(.losesUnsynced))
    try second.unlock()
    try expect("ok", of: scene.request(signedAt: scene.clock.now), second)
    scene.clock.now = start.adding(seconds: 10)
    let third = try scene.service(on: second.disk.afterCrash(.losesUnsynced))
    try third.unlock()
    try expect("replay", of: token, third)
  }
}
