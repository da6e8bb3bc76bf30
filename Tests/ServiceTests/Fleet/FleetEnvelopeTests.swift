import Audit
import Crypto
import Format
import KeyStore
import Operations
import Service
import ServiceHarness
import TestSupport
import Testing

/// [FLEET-CLAIM-11] Two hosts open envelopes that open once, each payment once between them.
@Suite struct FleetEnvelopeTests {
  private let start = TestService.start
  private static let key = [UInt8](repeating: 7, count: 16)
  private static let used = EnvelopeScene.Outcome.refused("envelope-used")

  /// Two hosts with the same keys, the second restored from the first one's backup, each with a log
  /// of its own.
  private struct Hosts {
    let scene: EnvelopeScene
    let store: SimulatedClaims
    let timers = FleetScene.Timers()
    let paris, rome: TestService

    init(lifetime: UInt32 = 3600, once: Bool = true, opensLocally: Bool = false) throws {
      let label = try #require(KeyLabel("fleet/claims"))
      scene = try EnvelopeScene(lifetime: lifetime, once: once) { store in
        let bytes = Array(0...31 as ClosedRange<UInt8>)
        let material = try KeyMaterial(keyData: bytes.span, for: .fleet)
        _ = try store.importKey(
          KeyImport(label: label, role: .fleet, material: material), at: TestService.start,
          anchor: .beginning)
      }
      store = SimulatedClaims(scene.clock)
      let merchants = self.scene
      let claims = self.store
      let later = self.timers
      func host(_ name: String, on disk: SimulatedDisk?) throws -> TestService {
        let line = claims.line(try #require(HostName(name)))
        return try merchants.service(on: disk, opensLocally: opensLocally) { settings in
          settings.fleet = Fleet(host: name, key: label, store: line)
          settings.after = { later.add($0, $1) }
        }
      }
      paris = try host("paris", on: nil)
      rome = try host("rome", on: paris.disk.afterCrash(.losesUnsynced))
    }

    func openings(_ host: TestService) throws -> [Record] {
      try host.records().filter { $0.opcode == .openEnvelope && $0.status == .ok }
    }
  }

  private func isOpen(_ outcome: EnvelopeScene.Outcome) -> Bool {
    if case .ok = outcome { true } else { false }
  }

  @Test(
    "[FLEET-F1] [FLEET-CLAIM-11] one that opens once opens on one host, and on no other afterwards",
    arguments: [[], key])
  func once(retryKey: [UInt8]) throws {
    let hosts = try Hosts()
    let sealed = try hosts.scene.seal(hosts.paris)
    let other = try hosts.scene.seal(hosts.paris)
    let before = hosts.store.holders.count
    #expect(isOpen(try hosts.scene.open(sealed, hosts.rome, retryKey: retryKey)))
    for host in [hosts.paris, hosts.rome] {
      #expect(try hosts.scene.open(sealed, host) == Self.used)
      #expect(
        try hosts.scene.open(sealed, host, by: EnvelopeScene.books, retryKey: retryKey) == Self.used
      )
    }
    #expect(isOpen(try hosts.scene.open(other, hosts.paris)))
    #expect(hosts.store.holders.count == before + 2)
    let claim = try #require(hosts.openings(hosts.rome).first?.inputs.claim)
    #expect(hosts.store.holders[ClaimDigest(claim)] == "rome")
  }

  @Test(
    "[FLEET-F2] the same request opens again on another host, with the same answer; the record names the first host"
  )
  func again() throws {
    let hosts = try Hosts(lifetime: 60)
    let sealed = try hosts.scene.seal(hosts.paris)
    let late = try hosts.scene.seal(hosts.paris)
    let first = try hosts.scene.open(sealed, hosts.paris, retryKey: Self.key)
    hosts.scene.clock.now = start.adding(seconds: 120)
    let (second, third) = try (
      hosts.scene.open(sealed, hosts.rome, retryKey: Self.key),
      hosts.scene.open(sealed, hosts.rome, retryKey: Self.key)
    )
    #expect(isOpen(first) && second == first && third == first)
    let here = try #require(hosts.openings(hosts.paris).first)
    let there = try hosts.openings(hosts.rome)
    #expect(
      there.map(\.inputs.retryHost) == ["paris", nil]
        && there.map(\.inputs.claim) == [here.inputs.claim, nil])
    #expect(there.map(\.inputs.retryOf) == [nil, there[0].sequence])
    // A first opening is judged by its own time, and a window by the first opening's.
    #expect(try hosts.scene.open(late, hosts.rome, retryKey: Self.key) == .refused("expired"))
    hosts.scene.clock.now = start.adding(seconds: 121)
    #expect(try hosts.scene.open(sealed, hosts.paris, retryKey: Self.key) == .refused("expired"))
  }

  @Test(
    "[FLEET-F2] [FLEET-CLAIM-8] a host that has long opened envelopes opens what another opened, as late as the window lets it"
  )
  func lateRepetition() throws {
    let hosts = try Hosts(lifetime: 60)
    for minute in 0...9 as ClosedRange<Int64> {
      hosts.scene.clock.now = start.adding(seconds: minute * 60)
      #expect(isOpen(try hosts.scene.open(hosts.scene.seal(hosts.rome), hosts.rome)))
    }
    let made = hosts.scene.clock.now
    let sealed = try hosts.scene.seal(hosts.paris)
    hosts.scene.clock.now = made.adding(seconds: 59)
    #expect(isOpen(try hosts.scene.open(sealed, hosts.paris, retryKey: Self.key)))
    for seconds in [60, 120, 178] as [Int64] {
      hosts.scene.clock.now = made.adding(seconds: seconds)
      #expect(isOpen(try hosts.scene.open(hosts.scene.seal(hosts.rome), hosts.rome)))
    }
    #expect(isOpen(try hosts.scene.open(sealed, hosts.rome, retryKey: Self.key)))
  }

  @Test(
    "[FLEET-CLAIM-4] [FLEET-CLAIM-11] two envelopes of one token are one payment, on whatever host and day"
  )
  func overMidnight() throws {
    let hosts = try Hosts()
    let midnight = Timestamp(seconds: (start.seconds / 86_400 + 1) * 86_400)
    hosts.scene.clock.now = midnight.adding(seconds: -30)
    let token = try hosts.scene.scene.mint(signedAt: hosts.scene.clock.now)
    let first = try hosts.scene.seal(token, retryKey: Self.key, hosts.paris)
    hosts.scene.clock.now = midnight.adding(seconds: 30)
    let second = try hosts.scene.seal(token, retryKey: Self.key, hosts.rome)
    #expect(try first.bytes != second.bytes && isOpen(hosts.scene.open(first, hosts.paris)))
    #expect(try hosts.scene.open(second, hosts.rome) == Self.used)
    #expect(try hosts.scene.open(second, hosts.rome, retryKey: Self.key) == Self.used)
  }

  @Test(
    "[FLEET-F3] while the store is away it is busy, or opened once on each host, marked and claimed later",
    arguments: [false, true])
  func away(opensLocally: Bool) throws {
    let hosts = try Hosts(opensLocally: opensLocally)
    let sealed = try hosts.scene.seal(hosts.paris)
    hosts.store.isAway = true
    for host in [hosts.paris, hosts.rome] {
      let outcome = try hosts.scene.open(sealed, host)
      #expect(opensLocally ? isOpen(outcome) : outcome == .refused("busy"))
      #expect(try hosts.scene.open(sealed, host) == (opensLocally ? Self.used : .refused("busy")))
    }
    hosts.store.isAway = false
    guard opensLocally else {
      #expect(isOpen(try hosts.scene.open(sealed, hosts.paris)))
      return
    }
    #expect(
      try hosts.openings(hosts.paris).allSatisfy {
        $0.inputs.local != nil && $0.inputs.claim != nil
      })
    hosts.timers.run()
    #expect(try hosts.paris.operations().contains("opening-claimed"))
    #expect(try hosts.rome.operations().contains("duplicate-opening"))
  }

  @Test(
    "[FLEET-CLAIM-5] what is not found good is not claimed, nor what this host knows, nor an envelope that opens often"
  )
  func unfounded() throws {
    let hosts = try Hosts()
    let sealed = try hosts.scene.seal(hosts.paris)
    let scene = hosts.scene
    let before = hosts.store.asked.count
    var forged = sealed
    forged.bytes[40] ^= 1
    #expect(try scene.open(forged, hosts.paris) == .refused("envelope"))
    #expect(try scene.open(sealed, hosts.paris, by: EnvelopeScene.stranger) == .refused("denied"))
    #expect(
      try scene.open(sealed, hosts.paris, merchant: "merchant.com.example.sandbax")
        == .refused("envelope"))
    #expect(
      try scene.open(
        sealed, hosts.paris, by: EnvelopeScene.books, required: ReleasedFields([.last4]))
        == .refused("not-released last4"))
    scene.clock.now = start.adding(seconds: 3600)
    #expect(try scene.open(sealed, hosts.paris) == .refused("expired"))
    scene.clock.now = start.adding(seconds: -301)
    #expect(try scene.open(sealed, hosts.paris) == .refused("expired"))
    scene.clock.now = start
    #expect(hosts.store.asked.count == before)
    #expect(
      try isOpen(scene.open(sealed, hosts.paris)) && scene.open(sealed, hosts.paris) == Self.used)
    #expect(hosts.store.asked.count == before + 1)
    let many = try Hosts(once: false)
    let free = try many.scene.seal(many.paris)
    let asked = many.store.asked.count
    for host in [many.paris, many.rome] { #expect(isOpen(try many.scene.open(free, host))) }
    #expect(many.store.asked.count == asked)
  }

  @Test("[KS-USE-OUTLOOK] the look before the claim is no use of the key")
  func uses() throws {
    let hosts = try Hosts()
    let sealed = try hosts.scene.seal(hosts.paris)
    for _ in 0..<3 { _ = try hosts.scene.open(sealed, hosts.paris) }
    #expect(try hosts.scene.uses(hosts.paris) == 2)
  }

  @Test("[FLEET-F4] the store learns neither transaction nor number")
  func secrecy() throws {
    let hosts = try Hosts()
    let sealed = try hosts.scene.seal(hosts.paris)
    #expect(isOpen(try hosts.scene.open(sealed, hosts.paris)))
    let learned = Hex.encode(hosts.store.bytes)
    for secret in [sealed.transaction, sealed.bytes, Array(EnvelopeScene.pan.utf8)] {
      #expect(!learned.contains(Hex.encode(secret)))
    }
  }
}
