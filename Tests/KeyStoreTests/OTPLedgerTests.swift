import Crypto
import Format
import Host
import TestSupport
import Testing

@testable import KeyStore

/// [KS-LEDGER] The subjects of keys for codes, which must survive whatever comes.
@Suite struct OTPLedgerTests {
  private static let subject = Array("customer-7".utf8)

  /// A store with one key for counted codes.
  private func scene() throws -> (Scene, KeyID) {
    let scene = try Scene()
    try scene.create()
    return (scene, try scene.unlock().importCodes().id)
  }

  private func next(_ store: KeyStore, _ id: KeyID, _ subject: [UInt8] = subject) throws -> UInt64 {
    let slot = try #require(store.codes(id))
    return try store.ledger(of: slot).update(subject.span, at: Scene.now) { state -> UInt64 in
      state.next += 1
      return state.next
    }.get()
  }

  private func seen(_ store: KeyStore, _ id: KeyID, _ subject: [UInt8] = subject) throws
    -> OTPState
  {
    try store.ledger(of: try #require(store.codes(id))).update(subject.span, at: Scene.now) { $0 }
      .get()
  }

  @Test func statesOutliveTheProcess() throws {
    let (scene, id) = try scene()
    let store = try scene.unlock()
    for expected in 1...5 { #expect(try next(store, id) == UInt64(expected)) }
    #expect(try next(store, id, Array("another".utf8)) == 1)
    let again = try scene.reopened()
    #expect(try next(again, id) == 6)
    #expect(try next(again, id, Array("another".utf8)) == 2)
    #expect(try next(again, id, []) == 1)
    #expect(again.strays.isEmpty)
  }

  @Test func whatDoesNotChangeIsNotWritten() throws {
    let (scene, id) = try scene()
    let store = try scene.unlock()
    _ = try next(store, id)
    let calls = scene.disk.changingCalls
    #expect(try seen(store, id).next == 1)
    #expect(try seen(store, id, Array("nobody".utf8)) == OTPState())
    #expect(scene.disk.changingCalls == calls)
  }

  @Test("the ledger names no subject") func tags() throws {
    let (scene, id) = try scene()
    let store = try scene.unlock()
    _ = try next(store, id)
    let bytes = try #require(scene.file(id.hex + ".otp"))
    #expect(bytes.count == OTPLedgerContents.headerCount + OTPLedgerContents.lineCount)
    #expect(!String(decoding: bytes, as: UTF8.self).contains("customer"))
  }

  @Test("[KS-LEDGER-HEADER] [KS-LEDGER-ENTRY] a ledger's bytes are where the rules have them")
  func bytes() throws {
    let (scene, id) = try scene()
    let store = try scene.unlock()
    for _ in 0..<3 { _ = try next(store, id) }
    let bytes = try #require(scene.file(id.hex + ".otp"))
    try #require(bytes.count == 64 * 4)
    let number = { (place: Int, count: Int) in
      bytes[place..<place + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    #expect(
      Array(bytes.prefix(16)) == Array("kist-otp-ledger1".utf8) && Array(bytes[16..<32]) == id.bytes
        && number(32, 8) == 0)
    let first = 64
    let last = 64 * 3
    #expect(bytes[first..<first + 16] == bytes[last..<last + 16], "one subject's tag")
    #expect(number(first + 16, 8) == 1 && number(last + 16, 8) == 3)
    // Nothing was given out, nothing wrong came, nobody is enrolled.
    #expect(
      number(last + 24, 8) == 0 && number(last + 32, 8) == 0 && number(last + 40, 4) == 0
        && number(last + 44, 4) == 0)
    #expect(
      bytes[first + 48..<first + 64] != bytes[last + 48..<last + 64],
      "each MAC covers the one before")
  }

  /// [KS-LEDGER-TORN] At every call, in every way: what was acknowledged is there, and nothing
  /// comes twice.
  @Test func aCrashSkipsAndNeverRepeats() throws {
    let (start, id) = try scene()
    var skipped = 0
    let (_, calls) = try FaultMatrix(from: start.disk).run { disk in
      var acknowledged: UInt64 = 0
      guard let store = try? Scene(disk).unlock() else { return acknowledged }
      for _ in 0..<3 { if let counter = try? next(store, id) { acknowledged = counter } }
      return acknowledged
    } _: { disk, acknowledged, point in
      let store = try Scene(disk).unlock()
      let found = try seen(store, id).next
      #expect(acknowledged...acknowledged + 1 ~= found, "\(point)")
      skipped += found > acknowledged ? 1 : 0
      #expect(try next(store, id) == found + 1)
    }
    // A write and a sync for each of the three.
    #expect(calls >= 6)
    #expect(skipped > 0)
  }

  @Test(
    "[KS-LEDGER-FULL] a failed write or sync ends the ledger for this process",
    arguments: [(0, 5), (0, 30), (1, 5), (1, 28)])
  func failures(call: Int, errno: Int32) throws {
    for fault in SimulatedDisk.Fault.allCases {
      let (scene, id) = try scene()
      let store = try scene.unlock()
      _ = try next(store, id)
      scene.disk.fail(call: scene.disk.changingCalls + call, fault, errno: errno)
      #expect(throws: KeyStoreError.self) { try next(store, id) }
      #expect(throws: KeyStoreError.ledger(id)) { try next(store, id) }
    }
  }

  @Test(
    "[KS-LEDGER-FULL] a full disk does not: once there is room, the change is made, and no part of the failed one is left",
    arguments: [0, 1, 63, 64])
  func fullDisk(room: Int) throws {
    let (scene, id) = try scene()
    let store = try scene.unlock()
    _ = try next(store, id)
    scene.disk.fill(to: scene.disk.usedBytes + room)
    var counter: UInt64 = room < OTPLedgerContents.lineCount ? 1 : 2
    if counter == 2 { #expect(try next(store, id) == 2) }
    for _ in 0..<2 {
      #expect(throws: KeyStoreError.storage(.disk(DiskError(.write, errno: DiskError.full)))) {
        try next(store, id)
      }
    }
    // Power is lost while it is full, and what was acknowledged is there.
    #expect(try seen(Scene(scene.disk.afterCrash(.keepsUnsynced)).unlock(), id).next == counter)
    scene.disk.fill(to: nil)
    counter += 1
    #expect(try next(store, id) == counter)
    #expect(try next(try scene.reopened(), id) == counter + 1)
  }

  @Test func aLockedStoresLedgerTakesNothingMore() throws {
    let (scene, id) = try scene()
    let store = try scene.unlock()
    let slot = try #require(store.codes(id))
    let ledger = try store.ledger(of: slot)
    _ = try store.locked()
    let subject = Self.subject
    #expect(throws: KeyStoreError.ledger(id)) {
      try ledger.update(subject.span, at: Scene.now) { $0.next += 1 }.get()
    }
    #expect(throws: KeyStoreError.ledger(id)) { _ = try store.ledger(of: slot) }
  }

  /// [KS-LEDGER-MAC] Every changed byte but those of the last entry, which a crash could have torn,
  /// is found.
  @Test func aChangedFileIsRefused() throws {
    let (scene, id) = try scene()
    let store = try scene.unlock()
    for _ in 0..<3 { _ = try next(store, id) }
    let path = Scene.path + "/" + id.hex + ".otp"
    let bytes = try #require(scene.file(id.hex + ".otp"))
    let line = OTPLedgerContents.lineCount
    #expect(bytes.count == 4 * line)
    func open(_ changed: [UInt8]) throws -> OTPState {
      let disk = scene.disk.afterCrash(.keepsUnsynced)
      disk.plant(path, changed)
      return try seen(try Scene(disk).unlock(), id)
    }
    for place in 0..<3 * line {
      var changed = bytes
      changed[place] ^= 1
      #expect(throws: KeyStoreError.ledger(id)) { _ = try open(changed) }
    }
    var torn = bytes
    torn[3 * line + 20] ^= 1
    #expect(try open(torn).next == 2)
    #expect(throws: KeyStoreError.ledger(id)) {
      _ = try open(Array(bytes.prefix(2 * line)) + bytes.suffix(line) + bytes.suffix(line))
    }
    #expect(throws: KeyStoreError.ledger(id)) { _ = try open(Array(bytes.prefix(line - 1))) }
    #expect(throws: KeyStoreError.ledger(id)) {
      _ = try open(bytes + [UInt8](repeating: 0, count: line + 1))
    }
  }

  @Test func anotherKeysLedgerIsRefused() throws {
    let (scene, id) = try scene()
    let store = try scene.unlock()
    _ = try next(store, id)
    let other = try store.importCodes("issuer/other").id
    _ = try next(store, other)
    let disk = scene.disk.afterCrash(.keepsUnsynced)
    disk.plant(Scene.path + "/" + other.hex + ".otp", try #require(scene.file(id.hex + ".otp")))
    #expect(throws: KeyStoreError.ledger(other)) { _ = try seen(try Scene(disk).unlock(), other) }
  }

  @Test func aLongLedgerIsWrittenAnew() throws {
    let (scene, id) = try scene()
    let store = try scene.unlock()
    for _ in 0..<1030 { _ = try next(store, id) }
    _ = try next(store, id, [])
    let bytes = try #require(scene.file(id.hex + ".otp"))
    #expect(bytes.count < 20 * OTPLedgerContents.lineCount)
    let again = try scene.reopened()
    #expect(try seen(again, id).next == 1030)
    #expect(try seen(again, id, []).next == 1)
  }

  @Test("[KS-LEDGER-FULL] nor does one without room for the new file") func fullWhenWrittenAnew()
    throws
  {
    let (scene, id) = try scene()
    let store = try scene.unlock()
    for _ in 0..<1024 { _ = try next(store, id) }
    scene.disk.fill(to: scene.disk.usedBytes)
    #expect(throws: KeyStoreError.storage(.disk(DiskError(.write, errno: DiskError.full)))) {
      try next(store, id)
    }
    scene.disk.fill(to: nil)
    #expect(try next(store, id) == 1025)
    #expect(try #require(scene.file(id.hex + ".otp")).count < 20 * OTPLedgerContents.lineCount)
    #expect(try next(try scene.reopened(), id) == 1026)
  }

  private static let code = OTPCode(step: nil, window: 10, failures: 5, lockout: 900)

  /// A ledger with room for two subjects of each kind.
  private func smallLedger(_ scene: Scene, _ id: KeyID) throws -> OTPLedger {
    let kek = try Scene.kek()
    return try OTPLedger(
      id, try #require(Self.code), atLeast: 0, StoreDirectory(Scene.path, on: scene.disk),
      StoreKeys(kek: kek.bytes),
      capacity: OTPLedger.Capacity(known: 2, failed: 2))
  }

  /// What a wrong code leaves, a right one, and one that is given out.
  private enum Attempt { case wrong, right, issued }

  private func attempt(
    _ what: Attempt, _ subject: String, _ ledger: OTPLedger, after seconds: Int64 = 0
  ) -> KeyStoreError? {
    let name = Array(subject.utf8)
    let now = Scene.now.adding(seconds: seconds)
    return refusal { () throws(KeyStoreError) in
      _ = try ledger.update(name.span, at: now) { state in
        switch what {
        case .wrong:
          (state.failures, state.lastFailure) = (state.failures + 1, now.seconds)
        case .right: state.next += 1
        case .issued: state.issued += 1
        }
      }
    }
  }

  @Test(
    "[KS-LEDGER-FORGET] guesses for made-up subjects take no room from real ones, and are forgotten after their lock-out"
  ) func guesses() throws {
    let (scene, id) = try scene()
    try guess(try smallLedger(scene, id))
    let again = try smallLedger(scene, id)
    let names = ["x1", "x2", "bob", "carol"]
    let seen = try names.map { name in
      let name = Array(name.utf8)
      return try again.update(name.span, at: Scene.now) { $0 }.get()
    }
    #expect(seen.map(\.failures) == [2, 0, 0, 0] && seen.map(\.next) == [0, 0, 1, 1])
  }

  private func guess(_ ledger: OTPLedger) throws {
    for subject in ["x1", "x2"] { #expect(attempt(.wrong, subject, ledger) == nil) }
    // While there is no room, a new subject's right code is answered as its wrong one.
    #expect(
      attempt(.wrong, "x3", ledger) == .ledgerFull
        && attempt(.right, "x3", ledger, after: 899) == .ledgerFull)
    #expect(attempt(.wrong, "x1", ledger, after: 10) == nil)
    // Whom a code is given out to is no guess.
    #expect(attempt(.issued, "bob", ledger) == nil && attempt(.right, "bob", ledger) == nil)
    // x2's lock-out is over, x1's is not.
    #expect(attempt(.right, "carol", ledger, after: 905) == nil)
    #expect(attempt(.right, "x1", ledger, after: 905) == .ledgerFull)
  }

  @Test(
    "[KS-LEDGER-FORGET] a lock-out that doubled is remembered as long as it lasts; real subjects for ever"
  ) func forgetting() throws {
    let (scene, id) = try scene()
    let ledger = try smallLedger(scene, id)
    for _ in 0..<10 { #expect(attempt(.wrong, "x1", ledger) == nil) }
    #expect(attempt(.right, "bob", ledger) == nil && attempt(.wrong, "bob", ledger) == nil)
    #expect(attempt(.wrong, "x2", ledger) == nil)
    #expect(attempt(.wrong, "x3", ledger, after: 900) == nil)
    #expect(attempt(.wrong, "x4", ledger, after: 1799) == .ledgerFull)
    #expect(attempt(.wrong, "x4", ledger, after: 1800) == nil)
    let bob = Array("bob".utf8)
    let state = try ledger.update(bob.span, at: Scene.now.adding(seconds: 1_000_000)) { $0 }
      .get()
    #expect((state.next, state.failures) == (1, 1))
  }

  @Test(
    "[OP-OTP-7] wrong codes that came while the clock was ahead lock out and take room for a lock-out's time, not until then"
  )
  func failuresOfTheFuture() throws {
    let (scene, id) = try scene()
    let ledger = try smallLedger(scene, id)
    let code = try #require(Self.code)
    let ahead: Int64 = 86_400
    for _ in 0..<5 { #expect(attempt(.wrong, "x1", ledger, after: ahead) == nil) }
    let state = try ledger.update(Array("x1".utf8).span, at: Scene.now) { $0 }.get()
    for (seconds, isLocked) in [
      (0, true), (-899, true), (899, true), (-900, false), (900, false), (-ahead, false),
    ] as [(Int64, Bool)] {
      #expect(
        code.isLockedOut(state, at: Scene.now.adding(seconds: ahead + seconds)) == isLocked,
        "\(seconds) s")
    }
    #expect(
      attempt(.wrong, "x2", ledger, after: ahead) == nil
        && attempt(.wrong, "x3", ledger, after: ahead) == .ledgerFull)
    for subject in ["x3", "x4"] { #expect(attempt(.wrong, subject, ledger) == nil) }
    #expect(attempt(.wrong, "x5", ledger) == .ledgerFull)
  }

  @Test func destroyingAKeyTakesItsLedger() throws {
    let (scene, id) = try scene()
    let store = try scene.unlock()
    _ = try next(store, id)
    try store.setState(.retired, of: id, at: Scene.later, anchor: Scene.anchor(2))
    try store.setState(.destroyed, of: id, at: Scene.later, anchor: Scene.anchor(3))
    #expect(scene.file(id.hex + ".otp") == nil)
  }
}

/// [KS-OTP] Keys for one-time values and what their records say of them.
@Suite struct OTPKeyTests {
  @Test func attributesOutliveTheProcess() throws {
    let scene = try Scene()
    try scene.create()
    let store = try scene.unlock()
    let code = try #require(
      OTPCode(digits: 8, hash: .sha512, step: 60, window: 0, failures: 3, lockout: 60))
    _ = try store.importOTP(
      "issuer/visa", .otpVisa, 16, .visa(keySet: "123456.1"), notAfter: Scene.later)
    _ = try store.importOTP("issuer/totp", .otpTOTP, 64, .code(code))
    _ = try store.importOTP(
      "issuer/hotp", .otpHOTP, 20, .code(try #require(OTPCode(step: nil, window: 10))))
    let records = try scene.reopened().records.filter { $0.otp != nil }
    #expect(records.map(\.usage) == ["M7 H C", "M7 H C", "D0 T E"])
    #expect(
      records.map(\.otp) == [
        .code(try #require(OTPCode(step: nil, window: 10))), .code(code), .visa(keySet: "123456.1"),
      ])
    #expect(records.last?.notAfter == Scene.later)
    #expect(records.map(\.algorithm.name) == ["HMAC-OTP", "HMAC-OTP", "TDEA-2"])
  }

  @Test func attributesOfAnotherRoleAreRefused() throws {
    let scene = try Scene()
    try scene.create()
    let store = try scene.unlock()
    let counted = try #require(OTPCode(step: nil, window: 1))
    let timed = try #require(OTPCode(step: 30, window: 1))
    let wrong: [(KeyRole, Int, OTPAttributes?)] = [
      (.otpVisa, 16, nil), (.otpVisa, 16, .code(counted)), (.otpVisa, 16, .visa(keySet: "")),
      (.otpVisa, 16, .visa(keySet: "1-2")),
      (.otpHOTP, 20, nil), (.otpHOTP, 20, .code(timed)), (.otpTOTP, 20, .code(counted)),
      (.otpTOTP, 20, .mastercard(alias: nil)),
      (.sealing, 32, .visa(keySet: "1")),
    ]
    for (role, size, attributes) in wrong {
      #expect(
        refusal { () throws(KeyStoreError) in
          try store.importOTP("issuer/x", role, size, attributes)
        } == .importRefused(.otp))
    }
    for (role, size) in [(KeyRole.otpVisa, 24), (.otpVisa, 8), (.otpHOTP, 15), (.otpTOTP, 65)] {
      let attributes: OTPAttributes =
        role == .otpVisa ? .visa(keySet: "1") : .code(role == .otpHOTP ? counted : timed)
      #expect(
        refusal { () throws(KeyStoreError) in
          try store.importOTP("issuer/x", role, size, attributes)
        } != nil)
    }
  }

  @Test func parametersAreBounded() {
    #expect(OTPCode(digits: 5, step: nil, window: 1) == nil)
    #expect(OTPCode(digits: 9, step: nil, window: 1) == nil)
    #expect(OTPCode(step: 0, window: 1) == nil)
    #expect(OTPCode(step: 3601, window: 1) == nil)
    #expect(OTPCode(step: nil, window: 101) == nil)
    #expect(OTPCode(step: nil, window: -1) == nil)
    #expect(OTPCode(step: nil, window: 1, failures: 0) == nil)
    #expect(OTPCode(step: nil, window: 1, lockout: 86_401) == nil)
  }
}

extension KeyStore {
  fileprivate func importOTP(
    _ label: String, _ role: KeyRole, _ size: Int, _ otp: OTPAttributes?, notAfter: Timestamp? = nil
  ) throws(KeyStoreError) -> KeyRecord {
    guard let label = KeyLabel(label) else { throw .unknownKey }
    let bytes = (0..<size).map { UInt8($0) &* 7 &+ 1 }
    let material: KeyMaterial
    do throws(CryptoError) { material = try KeyMaterial(keyData: bytes.span, for: role) } catch {
      throw .crypto(error)
    }
    return try importKey(
      KeyImport(label: label, role: role, material: material, notAfter: notAfter, otp: otp),
      at: Scene.now, anchor: Scene.anchor(1))
  }

  func importCodes(_ label: String = "issuer/codes") throws -> KeyRecord {
    try importOTP(label, .otpHOTP, 20, .code(try #require(OTPCode(step: nil, window: 10))))
  }

  func codes(_ id: KeyID) -> KeySlot? { table.value.slots[id] }
}
