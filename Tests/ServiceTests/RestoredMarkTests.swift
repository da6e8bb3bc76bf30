import Ceremony
import Crypto
import Format
import KeyStore
import Operations
import Policy
import ServiceHarness
import TestSupport
import Testing

@testable import Service

/// `restored.json` is believed of a copy alone that somebody named, and of a store that is that
/// copy. Likewise the machine that a store is on.
@Suite struct RestoredMarkTests {
  private let test: TestService

  init() throws {
    test = try TestService(adjust: { $0.configuration.backup.directory = "/state" })
    try test.unlock()
    try make("merchant/acme/first")
  }

  private func make(_ label: String) throws {
    _ = try test.generateKey(label)
  }

  /// The store's files as they are now, copied by hand to a directory that looks like a backup.
  private func copyByHand() throws -> [String: [UInt8]] {
    let names = try test.disk.list("/state/keys").filter { $0 != "lock" }
    return Dictionary(
      uniqueKeysWithValues: names.map { ($0, test.disk.contents("/state/keys/" + $0) ?? []) })
  }

  /// A disk with those files in the store's place, after the daemon has gone on.
  private func disk(with files: [String: [UInt8]], mark: [UInt8]? = nil) throws -> SimulatedDisk {
    let disk = test.disk.afterCrash(.keepsUnsynced)
    for name in try disk.list("/state/keys") where name != "lock" {
      disk.unplant("/state/keys/" + name)
    }
    for (name, bytes) in files { disk.plant("/state/keys/" + name, bytes) }
    if let mark { disk.plant("/state/keys/restored.json", mark) }
    return disk
  }

  private func refusal(_ disk: SimulatedDisk, adjust: (inout ServiceSettings) -> Void = { _ in })
    throws -> UnlockError?
  {
    let next = try TestService(on: disk, adjust: adjust)
    do { try next.unlock() } catch let error as UnlockError { return error }
    return nil
  }

  private static func mark(_ digest: Digest256, _ generation: Int64, sealed mac: Digest256? = nil)
    -> [UInt8]
  {
    let hmac = mac.map { #""hmac":"\#($0.hex)","# } ?? ""
    let text =
      #"{"digest":"\#(digest.hex)","format":"kist-restored/v1","generation":\#(generation),\#(hmac)"ledgers":[],"time":"2026-11-20T09:30:00.000000Z"}"#
    return Array(text.utf8)
  }

  @Test(
    "[KS-RESTORE-MARK] a forged mark opens no older store: neither one of a true backup's digest, nor one that fits the files"
  )
  func forged() throws {
    let files = try copyByHand()
    try make("merchant/acme/second")
    let reply = try test.call(.backUp, on: .operators)
    let body = reply.body.span
    let backup = try BackUpReply(MessageReader(body))
    #expect(try refusal(disk(with: files)) == .store(.olderThanLog))
    let named = try #require(Digest256(backup.digest))
    #expect(
      try refusal(disk(with: files, mark: Self.mark(named, Int64(backup.generation))))
        == .store(.restoredMark))
    // The digest that the files have: anybody can work it out, nobody named it.
    let scratch = test.disk.afterCrash(.keepsUnsynced)
    try scratch.makeDirectory("/state/forged", mode: 0o700)
    for (name, bytes) in files { scratch.plant("/state/forged/" + name, bytes) }
    let facts = try StoreCopy("/state/forged", on: scratch).facts
    let forged = Self.mark(facts.digest, facts.generation)
    #expect(try refusal(disk(with: files, mark: forged)) == .store(.restoredUnnamed))
    #expect(
      try refusal(disk(with: files, mark: forged)) { $0.configuration.backup.restored = named.hex }
        == .store(.restoredUnnamed))
    // Somebody who may change the configuration answers for it.
    #expect(
      try refusal(disk(with: files, mark: forged)) {
        $0.configuration.backup.restored = facts.digest.hex
      } == nil)
    // A MAC that is not the store's is none: the files are compared all the same.
    #expect(
      try refusal(disk(with: files, mark: Self.mark(named, facts.generation, sealed: named)))
        == .store(.restoredMark))
  }

  @Test("[KS-RESTORE-MARK] a file changed after kist restore is found")
  func changed() throws {
    let reply = try test.call(.backUp, on: .operators)
    let body = reply.body.span
    let backup = try BackUpReply(MessageReader(body))
    let disk = test.disk.afterCrash(.keepsUnsynced)
    for name in try disk.list("/state/keys") { disk.unplant("/state/keys/" + name) }
    disk.unplant("/state/keys")
    let digest = try #require(Digest256(backup.digest))
    try StoreCopy("/state/" + backup.name, on: disk).restore(
      to: "keys", in: "/state", digest: digest, at: TestService.start)
    let touched = disk.afterCrash(.keepsUnsynced)
    touched.plant("/state/keys/custodians.json", [])
    #expect(try refusal(touched) == .store(.custodians))
    touched.unplant("/state/keys/custodians.json")
    let mark = String(decoding: disk.contents("/state/keys/restored.json") ?? [], as: UTF8.self)
    touched.plant(
      "/state/keys/restored.json",
      Array(
        mark.replacing(
          "\"ledgers\":[]",
          with:
            "\"ledgers\":[{\"key\":\"\(String(repeating: "0", count: 32))\",\"sha256\":\"\(digest.hex)\"}]"
        ).utf8))
    #expect(try refusal(touched) == .store(.restoredMark))
    #expect(try refusal(disk) == nil)
  }

  @Test(
    "[KS-MACHINE] a store that was opened elsewhere opens only where somebody says that it moved, and on the record"
  )
  func machines() throws {
    let one = SHA256.hash([1])
    let other = SHA256.hash([2])
    func open(_ disk: SimulatedDisk, on machine: Digest256?, moved: Bool = false) throws
      -> UnlockError?
    {
      try refusal(disk) { ($0.machine, $0.isMoved) = (machine, moved) }
    }
    try #require(test.service.stop())
    let disk = test.disk.afterCrash(.keepsUnsynced)
    #expect(try open(disk, on: one) == nil)
    #expect(try open(disk, on: one) == nil)
    for machine in [other, nil] { #expect(try open(disk, on: machine) == .store(.otherMachine)) }
    #expect(try open(disk, on: other, moved: true) == nil)
    let after = try TestService(on: disk, adjust: { $0.machine = other })
    try after.unlock()
    #expect(try after.operations().count { $0 == "key-store-moved" } == 1)
    #expect(try open(disk.afterCrash(.keepsUnsynced), on: one) == .store(.otherMachine))
  }
}
