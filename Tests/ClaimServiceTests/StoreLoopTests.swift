import Format
import Host
import Testing
@testable import kist_claimd

@Suite("claims between kistd and the store")
struct StoreLoopTests {
  private let store = ScriptedStore()
  private let desk = ClaimDesk()
  private let peer = ListeningPeer()
  private let host: HostName
  private let other: HostName
  private var claimant: Claimant { Claimant(host: host, run: 1) }

  init() throws {
    host = try #require(HostName("shop-1"))
    other = try #require(HostName("shop-2"))
  }

  /// Runs `body` beside the store's thread.
  private func serving(_ body: () throws -> Void) throws {
    let store = store
    let desk = desk
    let ended = Signal()
    #expect(
      Thread.start {
        StoreLoop(store, desk, StoreReport(), pauses: 1_000_000...2_000_000).run()
        ended.give()
      })
    defer {
      store.holdBack(false)
      desk.stop()
      ended.wait()
    }
    try body()
  }

  /// Connects and says the host's name; the store is there afterwards.
  private func greet() {
    desk.connect(peer)
    desk.greet(peer, claimant)
    #expect(peer.first(2) == [.state(isThere: false), .state(isThere: true)])
  }

  /// The peer of another claimant, which comes when the first has gone.
  private func replaced(by claimant: Claimant) -> ListeningPeer {
    desk.disconnect(peer)
    let next = ListeningPeer()
    desk.connect(next)
    desk.greet(next, claimant)
    // The state of the first one's connection may be told before.
    while next.heard.last != .state(isThere: true) { Thread.sleep(nanoseconds: 1_000_000) }
    return next
  }

  private func claim(_ number: UInt8, retry: UInt8 = 0, day: UInt32 = 20_000) throws -> Claim {
    func digest(_ byte: UInt8) -> ClaimDigest? {
      let bytes = [UInt8](repeating: byte, count: 32)
      return ClaimDigest(bytes.span)
    }
    return Claim(
      digest: try #require(digest(number)), retryDigest: try #require(digest(retry)), day: day)
  }

  private func ask(_ id: UInt64, _ claims: [Claim]) throws {
    desk.ask(try #require(ClaimAsk(id: id, key: .zero, claims: claims)), of: peer)
  }

  private func answer(_ id: UInt64, _ holdings: [(Claim, HostName)]) throws -> StoreFrame {
    let holdings = holdings.map { claim, holder in
      ClaimHolding(
        holder == host ? .thisHost : .anotherHost, ageMilliseconds: 7,
        retryDigest: claim.retryDigest, host: holder)
    }
    return .answer(try #require(ClaimAnswer(id: id, holdings: holdings)))
  }

  @Test("an answer says who holds each claim, in the order of the ask")
  func answers() throws {
    try serving {
      greet()
      let mine = try claim(9)
      let theirs = try claim(5, retry: 1)
      let late = try claim(1, day: 20_001)
      store.put(theirs, other)
      try ask(4, [mine, late, theirs])
      #expect(try peer.first(3).last == answer(4, [(mine, host), (late, host), (theirs, other)]))
      #expect(store.claimedTogether == [[theirs, mine, late]], "sorted by day and digest")
      try ask(5, [theirs])
      #expect(try peer.first(4).last == answer(5, [(theirs, other)]))
    }
  }

  @Test(
    "the state is away until the host has a name and the store is open, and asks are away meanwhile"
  )
  func awayAtFirst() throws {
    store.failToOpen([.nameIsTaken, .unfit(.hasNoStandby)])
    desk.connect(peer)
    try ask(1, [try claim(1)])
    #expect(peer.heard == [.state(isThere: false), .away(id: 1)])
    try serving {
      desk.greet(peer, claimant)
      #expect(peer.first(3).last == .state(isThere: true))
      #expect(store.openedAs == [host, host, host])
    }
    #expect(peer.heard.count == 4, "the store is away once it is no longer served")
  }

  @Test(
    "[FLEET-STORE-2] asks in hand travel together, each claim once, with the first one's retry digest"
  )
  func together() throws {
    try serving {
      greet()
      store.holdBack(true)
      try ask(1, [try claim(1)])
      store.waitForTransactions(1)
      let first = try claim(3, retry: 1)
      let again = try claim(3, retry: 2)
      try ask(2, [first, try claim(4)])
      try ask(3, [try claim(2), again])
      try ask(4, [try claim(3, retry: 3, day: 19_999)])
      store.holdBack(false)
      #expect(try peer.first(6).contains(answer(3, [(claim(2), host), (first, host)])))
      #expect(
        try store.claimedTogether.dropFirst() == [
          [claim(3, retry: 3, day: 19_999), claim(2), first, claim(4)]
        ])
    }
  }

  @Test(
    "[FLEET-STORE-3] whatever the store fails with, all asks of the transaction are away, and the state until it is open again",
    arguments: [
      StoreFailure.noAnswerInTime, .unclear("a warning"), .lost("gone"), .failed("42501"),
      .misunderstood,
    ])
  func failures(_ failure: StoreFailure) throws {
    try serving {
      greet()
      store.fail(try claim(2), failure)
      store.holdBack(true)
      try ask(1, [try claim(1)])
      store.waitForTransactions(1)
      try ask(2, [try claim(2)])
      try ask(3, [try claim(3)])
      store.holdBack(false)
      #expect(try peer.first(3).last == answer(1, [(claim(1), host)]))
      #expect(
        peer.first(7).dropFirst(3) == [
          .away(id: 2), .away(id: 3), .state(isThere: false), .state(isThere: true),
        ])
      store.mend()
      try ask(4, [try claim(2)])
      #expect(try peer.first(8).last == answer(4, [(claim(2), host)]))
      #expect(store.openedAs.count == 2)
    }
  }

  @Test(
    "[FLEET-STORE-7] an ask that the store refuses is away, and those that travelled with it are not"
  )
  func refused() throws {
    try serving {
      greet()
      store.fail(try claim(2), .refused("23514"))
      store.holdBack(true)
      try ask(1, [try claim(1)])
      store.waitForTransactions(1)
      for id in 2...4 as ClosedRange<UInt64> { try ask(id, [try claim(UInt8(id))]) }
      store.holdBack(false)
      let heard = peer.first(6).dropFirst(3)
      #expect(
        try heard
          == [.away(id: 2), answer(3, [(claim(3), host)]), answer(4, [(claim(4), host)])].sortedAs(
            heard))
      #expect(store.openedAs.count == 1, "the connection is as good as before")
    }
  }

  @Test("a connection that is lost while asks are claimed singly leaves none without an answer")
  func lostBetween() throws {
    try serving {
      greet()
      store.fail(try claim(3), .lost("gone"))
      store.fail(try claim(4), .refused("23514"))
      store.holdBack(true)
      try ask(1, [try claim(1)])
      store.waitForTransactions(1)
      store.fail(try claim(2), .refused("23514"))
      for id in [4, 2, 3, 5] as [UInt64] { try ask(id, [try claim(UInt8(id))]) }
      store.holdBack(false)
      let aways = peer.first(9).filter { frame in [2, 3, 4, 5].contains { frame == .away(id: $0) } }
      #expect(aways.count == 4)
    }
  }

  @Test("more claims than may wait are away at once")
  func limit() throws {
    try serving {
      greet()
      store.holdBack(true)
      try ask(1, [try claim(1)])
      store.waitForTransactions(1)
      let claims = try (0..<256).map { try claim(UInt8($0)) }
      for id in 0..<64 { try ask(UInt64(100 + id), claims) }
      #expect(peer.heard.count == 2)
      try ask(900, [try claim(1)])
      #expect(peer.first(3).last == .away(id: 900))
      store.holdBack(false)
      _ = peer.first(68)
      #expect(store.claimedTogether.allSatisfy { $0.count <= ClaimDesk.transactionLimit })
    }
  }

  @Test("[FLEET-SOCK-3] what a peer that is gone had asked is not claimed")
  func gone() throws {
    try serving {
      greet()
      store.holdBack(true)
      try ask(1, [try claim(1)])
      store.waitForTransactions(1)
      try ask(2, [try claim(2)])
      desk.disconnect(peer)
      let next = ListeningPeer()
      desk.connect(next)
      desk.greet(next, claimant)
      desk.ask(try #require(ClaimAsk(id: 1, key: .zero, claims: [try claim(3)])), of: next)
      store.holdBack(false)
      #expect(
        try next.first(3) == [
          .state(isThere: false), .state(isThere: true), answer(1, [(claim(3), host)]),
        ])
      #expect(try store.claimedTogether == [[claim(1)], [claim(3)]])
    }
  }

  @Test(
    "[FLEET-CLAIM-10] what an earlier run of the daemon claimed is another's, under the host's own name"
  )
  func anotherRun() throws {
    try serving {
      greet()
      try ask(1, [try claim(1)])
      _ = peer.first(3)
      let next = replaced(by: Claimant(host: host, run: 2))
      desk.ask(
        try #require(ClaimAsk(id: 1, key: .zero, claims: [try claim(1), try claim(2)])), of: next)
      let answer = next.firstAnswer
      #expect(
        answer.holdings.map { $0.holder } == [.anotherHost, .thisHost]
          && answer.holdings.map { $0.host } == [host, host])
      #expect(store.openedAs == [host, host])
    }
  }

  @Test("[FLEET-CLAIM-9] claims under two keys are not claimed together")
  func twoKeys() throws {
    let keys = try [1, 2].map { try claim($0).digest }
    try serving {
      greet()
      store.holdBack(true)
      try ask(1, [try claim(1)])
      store.waitForTransactions(1)
      for (id, key) in [(2, keys[0]), (3, keys[1])] as [(UInt64, ClaimDigest)] {
        desk.ask(try #require(ClaimAsk(id: id, key: key, claims: [try claim(UInt8(id))])), of: peer)
      }
      store.holdBack(false)
      _ = peer.first(5)
      #expect(
        try store.claimedTogether == [[claim(1)], [claim(2)], [claim(3)]]
          && store.keys == [.zero] + keys)
    }
  }

  @Test("a host with another name gets a connection of its own")
  func renamed() throws {
    try serving {
      greet()
      try ask(1, [try claim(1)])
      _ = peer.first(3)
      let next = replaced(by: Claimant(host: other, run: 1))
      desk.ask(try #require(ClaimAsk(id: 1, key: .zero, claims: [try claim(1)])), of: next)
      let answer = next.firstAnswer
      #expect(
        answer.holdings.map { $0.holder } == [.anotherHost]
          && answer.holdings.map { $0.host } == [host])
      #expect(store.openedAs == [host, other])
    }
  }
}

extension Array where Element == StoreFrame {
  /// The same frames in the order of `others`, as far as they are among them.
  fileprivate func sortedAs(_ others: ArraySlice<StoreFrame>) -> ArraySlice<StoreFrame> {
    let sorted = others.filter(contains) + filter { !others.contains($0) }
    return ArraySlice(sorted)
  }
}
