import Audit
import Format
import Service
import ServiceHarness
import TestSupport
import Testing

/// What a service knows of tokens that it opened before it was started again.
@Suite struct RecollectionTests {
  private let scene: TokenScene
  private let start = TestService.start
  private static let file = "/state/audit.recollection"

  init() throws { scene = try TokenScene() }

  /// Opens a token, and says what came of it.
  private func expect(
    _ outcome: String, of token: [UInt8], _ service: TestService,
    at place: SourceLocation = #_sourceLocation
  ) throws {
    let found = try scene.open(token, service)
    #expect(found == outcome, sourceLocation: place)
  }

  private func segments(_ service: TestService) throws -> [String] {
    try service.disk.list("/audit").filter { $0.hasSuffix(".log") }.sorted()
  }

  @Test(
    "[OP-OPEN-6] a token is not opened again after the segment of its record is gone, and later ones are"
  ) func segmentGone() throws {
    let service = try scene.service(segmentSize: 4096)
    try service.unlock()
    let token = try scene.request(signedAt: start)
    try expect("ok", of: token, service)
    while try segments(service).count < 3 {
      #expect(try service.status(.random, body: ServiceTests.random) == .ok)
    }
    #expect(service.service.stop())
    service.disk.unplant("/audit/" + (try segments(service)[0]))
    service.disk.unplant(Self.file)

    let again = try scene.service(on: service.disk.afterCrash(.keepsUnsynced))
    try again.unlock()
    try expect("signing-time", of: token, again)
    #expect(try again.operations().contains("records-unread"))
    scene.clock.now = start.adding(seconds: 300)
    try expect("ok", of: scene.request(signedAt: scene.clock.now), again)
  }

  @Test(
    "[OP-OPEN-6] a token is not opened again after its record is gone, though the clock was set back since by a day, and was right again",
    arguments: ["running", "stopped"])
  func segmentGoneAndClockBack(_ state: String) throws {
    var service = try scene.service(segmentSize: 4096)
    try service.unlock()
    let token = try scene.request(signedAt: start)
    try expect("ok", of: token, service)
    while try segments(service).count < 3 {
      #expect(try service.status(.random, body: ServiceTests.random) == .ok)
    }
    if state == "running" { scene.clock.step(seconds: -90_000) }
    #expect(try service.status(.random, body: ServiceTests.random) == .ok)
    #expect(service.service.stop())
    if state == "stopped" {
      scene.clock.step(seconds: -90_000)
      service = try scene.service(on: service.disk.afterCrash(.losesUnsynced), segmentSize: 4096)
      try service.unlock()
      #expect(try service.operations().last == "clock-step")
      #expect(service.service.stop())
    }
    for segment in try segments(service).dropLast(state == "running" ? 1 : 2) {
      service.disk.unplant("/audit/" + segment)
    }
    service.disk.unplant(Self.file)

    let again = try scene.service(on: service.disk.afterCrash(.keepsUnsynced))
    try again.unlock()
    #expect(try again.operations().contains("records-unread"))
    scene.clock.step(seconds: 90_000)
    try expect("signing-time", of: token, again)
    scene.clock.now = start.adding(seconds: 301)
    try expect("ok", of: scene.request(signedAt: scene.clock.now), again)
  }

  @Test(
    "[OP-OPEN-6] what the file knows counts, though the log no longer tells of it nor of the clock that was set back"
  )
  func fileWithoutItsRecords() throws {
    let service = try scene.service(segmentSize: 4096)
    try service.unlock()
    let token = try scene.request(signedAt: start)
    try expect("ok", of: token, service)
    scene.clock.step(seconds: -90_000)
    while try segments(service).count < 3 {
      #expect(try service.status(.random, body: ServiceTests.random) == .ok)
    }
    #expect(service.service.stop())
    for segment in try segments(service).dropLast() { service.disk.unplant("/audit/" + segment) }
    let again = try scene.service(on: service.disk.afterCrash(.keepsUnsynced))
    try again.unlock()
    scene.clock.step(seconds: 90_000)
    try expect("replay", of: token, again)
    // What is missing may be as late as the clock was, and have opened what was signed a little
    // later.
    try expect("signing-time", of: scene.request(signedAt: scene.clock.now), again)
    scene.clock.now = start.adding(seconds: 301)
    try expect("ok", of: scene.request(signedAt: scene.clock.now), again)
  }

  @Test("[OP-OPEN-6] a clock that is ahead at a start refuses no token once it is right")
  func clockAheadAtStart() throws {
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

  @Test("[OP-OPEN-6] a clock that goes back over two starts opens no token again")
  func clockBackOverStarts() throws {
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

  // MARK: what was written down

  private func stopped(segmentSize: Int = 1 << 20) throws -> (service: TestService, token: [UInt8])
  {
    let service = try scene.service(segmentSize: segmentSize)
    try service.unlock()
    let token = try scene.request(signedAt: start)
    try expect("ok", of: token, service)
    while try segments(service).count < 3, segmentSize < 1 << 20 {
      #expect(try service.status(.random, body: ServiceTests.random) == .ok)
    }
    #expect(service.service.stop())
    return (service, token)
  }

  @Test("[KS-RECOLLECTION] what was written down at a stop needs no record that is older")
  func writtenDown() throws {
    let (service, token) = try stopped(segmentSize: 4096)
    service.disk.unplant("/audit/" + (try segments(service)[0]))
    let again = try scene.service(on: service.disk.afterCrash(.losesUnsynced))
    try again.unlock()
    try expect("replay", of: token, again)
    #expect(try !again.operations().contains("records-unread"))
    try expect("ok", of: scene.request(signedAt: start), again)
  }

  @Test(
    "[KS-RECOLLECTION] absent, cut, forged, another store's or of another log's root: the log is read, and nothing is believed"
  )
  func notBelieved() throws {
    let (service, token) = try stopped(segmentSize: 4096)
    let good = try #require(service.disk.contents(Self.file))
    let other = try #require(try TokenScene().service(on: nil).stoppedFile(Self.file))
    let flips = stride(from: 0, to: good.count, by: 31).map { place in
      good.enumerated().map { $0.offset == place ? $0.element ^ 1 : $0.element }
    }
    for bytes in [nil, [], Array(good.dropLast()), good + [0], other] + flips as [[UInt8]?] {
      let disk = service.disk.afterCrash(.keepsUnsynced)
      if let bytes { disk.plant(Self.file, bytes) } else { disk.unplant(Self.file) }
      disk.unplant("/audit/" + (try segments(service)[0]))
      let again = try scene.service(on: disk)
      try again.unlock()
      try expect("signing-time", of: token, again)
    }
  }

  @Test(
    "[KS-RECOLLECTION] an old one is true for its place, and what came later is read from the log")
  func oldOne() throws {
    let (service, token) = try stopped()
    let old = try #require(service.disk.contents(Self.file))
    let second = try scene.service(on: service.disk.afterCrash(.losesUnsynced))
    try second.unlock()
    let later = try scene.request(signedAt: start)
    try expect("ok", of: later, second)
    #expect(second.service.stop())
    let disk = second.disk.afterCrash(.losesUnsynced)
    disk.plant(Self.file, old)
    let third = try scene.service(on: disk)
    try third.unlock()
    for opened in [token, later] { try expect("replay", of: opened, third) }
  }

  @Test("while the log is read in full the service manager is told, and not where it need not be")
  func tellsOfReading() throws {
    let (service, _) = try stopped()
    for isForgotten in [true, false] {
      let disk = service.disk.afterCrash(.losesUnsynced)
      if isForgotten { disk.unplant(Self.file) }
      let told = Locked(0)
      try scene.service(on: disk, adjust: { $0.isReading = { told.withLock { $0 += 1 } } }).unlock()
      #expect((told.withLock { $0 } > 0) == isForgotten)
    }
  }

  @Test("[KS-RECOLLECTION] how much a start reads does not grow with the log") func boundedReading()
    throws
  {
    func reading(_ records: Int, without isForgotten: Bool = false) throws -> Int {
      let service = try scene.service(segmentSize: 1 << 14, adjust: { $0.countsInterval = 64 })
      try service.unlock()
      let token = try scene.request(signedAt: start)
      try expect("ok", of: token, service)
      for _ in 0..<records {
        #expect(try service.status(.random, body: ServiceTests.random) == .ok)
      }
      let disk = service.disk.afterCrash(.losesUnsynced)
      if isForgotten { disk.unplant(Self.file) }
      let again = try scene.service(on: disk, segmentSize: 1 << 14)
      let before = disk.readBytes
      try again.unlock()
      let count = disk.readBytes - before
      try expect("replay", of: token, again)
      return count
    }
    #expect(try reading(1200) < reading(300) + 1 << 15)
    // Without it all records are read, and each has more than 100 bytes.
    #expect(try reading(1200, without: true) > reading(300, without: true) + 900 * 100)
  }
}

extension TestService {
  /// A file of a service that did nothing.
  fileprivate func stoppedFile(_ path: String) throws -> [UInt8]? {
    try unlock()
    #expect(service.stop())
    return disk.contents(path)
  }
}
