import Audit
import Crypto
import Format
import Operations
import Policy
import Service
import ServiceHarness
import TestSupport
import Testing

/// Custodians who open the key store together, each as their own user.
@Suite struct ShareSubmissionTests {
  @Test(
    "[OP-SHARE-1] [OP-SHARE-6] any two of three open the store, the first has to wait",
    arguments: [(1, 2), (1, 3), (3, 2)])
  func twoOfThree(_ first: Int, _ second: Int) throws {
    let scene = try ShareScene()
    #expect(try scene.progress() == progress(0, 2))
    let taken = try scene.submit(scene.shares[first - 1], as: UInt32(first))
    #expect(taken.status == .ok)
    #expect(
      taken.progress == progress(1, 2, until: UInt64(TestService.start.seconds + ShareScene.window))
    )
    #expect(try scene.progress() == taken.progress)
    #expect(scene.service.service.stateName == "locked")
    let last = try scene.submit(scene.shares[second - 1], as: UInt32(second))
    #expect(last.status == .ok && last.progress?.unlocked == true)
    #expect(scene.service.service.stateName == "serving")
    #expect(try scene.progress().unlocked)
  }

  @Test(
    "[OP-SHARE-5] the record of the opening has every share before it, with fingerprint and time")
  func records() throws {
    let scene = try ShareScene()
    #expect(try scene.refusal(scene.shares[2], as: 2) == .shareHolder)
    #expect(try scene.refusal(scene.shares[0], as: 1) == nil)
    scene.pass(seconds: 30)
    #expect(try scene.refusal(scene.shares[1], as: 2) == nil)
    let records = try scene.records().filter { $0.opcode == .submitShare }
    #expect(records.map(\.actor?.uid) == [2, 1, 2])
    #expect(records.map(\.stage) == ["share-holder", nil, nil])
    #expect(records.map(\.status) == [.rejected, .ok, .ok])
    let fingerprints = scene.shares.map {
      Array(SHA256.hash(Array("share-fp/v2".utf8) + $0).bytes.prefix(5))
    }
    #expect(records.map(\.inputs.share) == [fingerprints[2], fingerprints[0], fingerprints[1]])
    #expect(
      records.map(\.inputs.submitted) == [0, 0, 30].map { TestService.start.adding(seconds: $0) })
    #expect(try scene.service.operations().last == "key-store-unlocked")
  }

  @Test("[OP-SHARE-5] an opening that fails as it is recorded loses no count of who handed in what")
  func failedOpening() throws {
    var failures = 0
    for call in 0..<60 {
      let scene = try ShareScene()
      #expect(try scene.refusal(scene.shares[0], as: 1) == nil)
      let disk = scene.service.disk
      disk.fail(call: disk.changingCalls + call, .notDone, errno: 5)
      guard try scene.submit(scene.shares[1], as: 2).status != .ok else { continue }
      failures += 1
      for user in [1, 2] {
        #expect(try scene.submit(scene.shares[user - 1], as: UInt32(user)).status == .ok)
      }
      let records = try scene.records()
      let told = records.count { $0.opcode == .submitShare }
      let refused =
        records.last { $0.operation == "key-store-unlocked" }?.eventNumber("refused") ?? 0
      #expect(told + Int(refused) >= 4, "call \(call)")
    }
    #expect((10..<60).contains(failures))
  }

  @Test("[OP-SHARE-5] a stop before the opening leaves the number of those who handed something in")
  func stopBeforeOpening() throws {
    let scene = try ShareScene()
    #expect(try scene.refusal(scene.shares[2], as: 2) == .shareHolder)
    #expect(try scene.refusal(scene.shares[0], as: 1) == nil)
    #expect(scene.service.service.stop())
    let next = try TestService(on: scene.service.disk.afterCrash(.losesUnsynced))
    try next.unlock()
    #expect(try next.lastRecord()?.eventNumber("refused") == 2)
  }

  @Test("[OP-SHARE-2] what is no custodian's share is refused by name, and what is there stays")
  func refusals() throws {
    let scene = try ShareScene()
    let shares = scene.shares
    #expect(try scene.refusal(shares[0], as: 1) == nil)
    for (count, uid) in [(1, 4), (20, 4), (22, 4), (28, 4), (5, 9), (30, 9), (36, 9)]
      as [(Int, UInt32)]
    {
      #expect(try scene.refusal(Array(shares[1].prefix(count)), as: uid) == .shareForm, "\(count)")
    }
    // Another group than there are, and more groups needed than there are.
    for (place, byte) in [(2, 0x01), (3, 0x10)] as [(Int, UInt8)] {
      var share = shares[1]
      share[place] |= byte
      #expect(try scene.refusal(share, as: 2) == .shareForm, "\(place)")
    }
    var wrong = shares[1]
    wrong[20] ^= 1
    #expect(try scene.refusal(wrong, as: 2) == .shareSplit)
    let earlier = try SplitKEK.parts(of: SplitKEK.split(TestService.kek))
    #expect(try scene.refusal(earlier[0], as: 3) == .shareSplit)
    #expect(try scene.refusal(shares[1], as: 3) == .shareHolder)
    #expect(try scene.refusal(shares[1], as: 4) == .shareHolder)
    #expect(try scene.refusal(shares[0], as: 1) == .shareDuplicate)
    #expect(try scene.progress().present == 1)
    #expect(try scene.submit(shares[2], as: 3).progress?.unlocked == true)
    #expect(try scene.refusal(shares[1], as: 2) == .shareSurplus)
  }

  @Test(
    "[OP-SHARE-7] a share taken by a register that was swapped for a while does not open the store")
  func swappedRegister() throws {
    let scene = try ShareScene()
    let disk = scene.service.disk
    let path = "/state/keys/custodians.json"
    let genuine = try #require(disk.contents(path))
    disk.plant(
      path,
      Array(String(decoding: genuine, as: UTF8.self).replacing("\"user1\"", with: "\"user4\"").utf8)
    )
    #expect(try scene.refusal(scene.shares[0], as: 4) == nil)
    disk.plant(path, genuine)
    #expect(try scene.refusal(scene.shares[1], as: 2) == .shareRegister)
    #expect(scene.service.service.stateName == "locked")
    #expect(try scene.refusal(scene.shares[0], as: 1) == nil)
    #expect(try scene.submit(scene.shares[1], as: 2).progress?.unlocked == true)
    #expect(
      try scene.records().filter { $0.opcode == .submitShare }.map(\.stage) == [
        nil, "share-register", nil, nil,
      ])
  }

  @Test("[OP-SHARE-2] two custodians under one user are one") func oneUser() throws {
    let scene = try ShareScene(users: ["user1", "user01", "user3"])
    #expect(try scene.refusal(scene.shares[0], as: 1) == nil)
    #expect(try scene.refusal(scene.shares[1], as: 1) == .shareHolderTwice)
    #expect(scene.service.service.stateName == "locked")
  }

  @Test("[OP-SHARE-2] a key that is not split asks for no shares") func notSplit() throws {
    let scene = try ShareScene(users: nil)
    #expect(try scene.progress() == progress(0, 0))
    #expect(try scene.refusal(scene.shares[0], as: 1) == .shareRegister)
    try scene.service.unlock()
    #expect(try scene.progress().unlocked)
  }

  @Test("[OP-SHARE-3] shares of another key open nothing, and are gone") func otherKey() throws {
    let scene = try ShareScene(kek: [UInt8](repeating: 7, count: 32))
    #expect(try scene.refusal(scene.shares[0], as: 1) == nil)
    #expect(try scene.refusal(scene.shares[1], as: 2) == .shareCombination)
    #expect(try scene.progress() == progress(0, 2))
    #expect(scene.service.service.stateName == "locked")
    for _ in 0..<4 { #expect(try scene.refusal(scene.shares[2], as: 2) == .shareHolder) }
    #expect(try scene.refusal(scene.shares[1], as: 2) == .shareCoolDown)
  }

  @Test(
    "[OP-SHARE-4] when the time is over the shares are wiped, with nobody asking, and one thread waits for that"
  ) func window() throws {
    let scene = try ShareScene()
    for _ in 0..<3 {
      #expect(try scene.refusal(scene.shares[0], as: 1) == nil)
      #expect(try scene.service.status(.lock, from: SplitKEK.user(9), on: .operators) == .locked)
      #expect(try scene.progress() == progress(0, 2))
      // Another one is to save how many requests were refused or handed in a share.
      #expect(scene.waitingCount == 2)
    }
    scene.pass(seconds: 1)
    #expect(try scene.refusal(scene.shares[0], as: 1) == nil)
    scene.pass(seconds: ShareScene.window - 1)
    #expect(try scene.progress().present == 1)
    scene.pass(seconds: 1)
    #expect(scene.waitingCount == 0)
    #expect(try scene.progress() == progress(0, 2))
    #expect(try scene.refusal(scene.shares[1], as: 2) == nil)
    #expect(scene.service.service.stateName == "locked")
  }

  @Test("[OP-SHARE-4] who failed five times has to wait, and nobody else") func coolDown() throws {
    let scene = try ShareScene()
    for _ in 0..<5 { #expect(try scene.refusal(scene.shares[1], as: 1) == .shareHolder) }
    #expect(try scene.refusal(scene.shares[0], as: 1) == .shareCoolDown)
    #expect(try scene.refusal(scene.shares[1], as: 2) == nil)
    scene.pass(seconds: ShareScene.window)
    #expect(try scene.refusal(scene.shares[1], as: 2) == nil)
    #expect(try scene.refusal(scene.shares[0], as: 1) == nil)
    #expect(scene.service.service.stateName == "serving")
    #expect(try scene.records().count { $0.stage == "share-holder" } == 5)
  }

  @Test("[OP-SHARE-5] of very many failures some are counted alone") func manyFailures() throws {
    let scene = try ShareScene()
    for _ in 0..<3 {
      for uid in [1, 2, 3, 4, 9] as [UInt32] {
        for _ in 0..<5 { #expect(try scene.refusal([0x61], as: uid) == .shareForm) }
      }
      scene.pass(seconds: ShareScene.window)
    }
    #expect(try scene.refusal(scene.shares[0], as: 1) == nil)
    #expect(try scene.refusal(scene.shares[1], as: 2) == nil)
    let records = try scene.records()
    #expect(records.count { $0.opcode == .submitShare } == 64)
    #expect(try scene.lastLine().contains(#""event":{"by":"quorum","refused":13}"#))
  }

  @Test("[OP-SHARE-5] another way of unlocking wipes the shares, and puts them on the record")
  func otherWay() throws {
    let scene = try ShareScene()
    #expect(try scene.refusal(scene.shares[0], as: 1) == nil)
    try scene.service.unlock()
    #expect(try scene.service.operations().suffix(2) == ["submit-share", "key-store-unlocked"])
    #expect(try scene.service.status(.lock, from: SplitKEK.user(9), on: .operators) == .ok)
    #expect(try scene.progress() == progress(0, 2))
  }

  @Test("[OP-SHARE-6] progress takes no body, and submitting takes one") func bodies() throws {
    let scene = try ShareScene()
    #expect(
      try scene.service.status(.shareProgress, body: [1], from: SplitKEK.user(1), on: .operators)
        == .malformed)
    #expect(
      try scene.service.status(.submitShare, from: SplitKEK.user(1), on: .operators) == .malformed)
    #expect(
      try scene.service.status(.submitShare, from: SplitKEK.user(5), on: .operators) == .denied)
    #expect(try scene.service.status(.submitShare, from: SplitKEK.user(1)) == .denied)
  }

  private func progress(_ present: UInt32, _ needed: UInt32, until: UInt64 = 0)
    -> ShareProgressReply
  {
    var reply = ShareProgressReply()
    reply.present = present
    reply.needed = needed
    reply.until = until
    return reply
  }
}
