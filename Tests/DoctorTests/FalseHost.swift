import Configuration
import Format
import Foundation
import Glibc
import KeyStore
import TestSupport
import Testing

@testable import Doctor

/// A healthy host below a temporary folder, for one test to make something wrong with.
final class FalseHost {
  let root = FileManager.default.temporaryDirectory.appendingPathComponent(
    "kist-doctor-\(UUID().uuidString)"
  ).path
  var surroundings: Surroundings
  /// Open all the time: the doctor must not need its lock.
  private let store: KeyStore
  /// Members of accounts' groups, by user.
  var groups = FalseHost.groups

  static let now = Timestamp(seconds: 1_795_348_800)
  /// The daemon's user, and its group.
  static let kist: UInt32 = 990
  static let users: [String: UInt32] = [
    "kist": kist, "kist-metrics": 991, "alice": 1001, "bob": 1002, "carol": 1003, "dave": 1004,
    "erin": 1005, "frank": 1006, "grace": 1007, "heidi": 1008,
    "acme-gateway": 1009, "acme-orders": 1010,
  ]
  static let gids: [String: UInt32] = [
    "kist": kist, "kist-metrics": 991, "kist-clients": 992, "kist-operators": 993,
    "kist-custodians": 994, "kist-approvers": 995, "kist-auditors": 996,
  ]
  private static let groups: [String: [String]] = [
    "alice": ["kist-operators"], "bob": ["kist-operators"], "carol": ["kist-custodians"],
    "dave": ["kist-custodians"], "erin": ["kist-custodians"],
    "frank": ["kist-auditors"], "grace": ["kist-approvers"], "heidi": ["kist-approvers"],
    "kist-metrics": ["kist-metrics"],
    "acme-gateway": ["kist-clients"], "acme-orders": ["kist-clients"], "kist": ["kist"],
  ]

  init() throws {
    try #require(getuid() == 0, "files of other owners are made as root")
    try #require(TestArena.ready)
    surroundings = Surroundings(
      now: Self.now, accounts: Accounts(uid: { Self.users[$0] }, gid: { Self.gids[$0] }),
      kernel: KernelAnswers(
        secretMemory: 0, hasLandlock: true, tellsProcesses: true, isClockSynchronised: true),
      version: "1.0",
      freeBytes: { _ in 100 << 30 }, ask: { _ in .serving(nil) }, tryCredential: { _ in .opens })
    surroundings.root = root
    store = try HealthyHost.make(root)
    give()
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  /// Sets the accounts, leaving some out.
  func give(without missing: Set<String> = []) {
    let groups = groups
    surroundings.accounts = Accounts(
      uid: { missing.contains($0) ? nil : Self.users[$0] },
      gid: { missing.contains($0) ? nil : Self.gids[$0] },
      groups: { name in (groups[name] ?? []).compactMap { Self.gids[$0] } })
  }

  var findings: [Finding] { CheckUp.findings(in: surroundings) }

  // MARK: files

  func text(_ path: String) throws -> String {
    try String(contentsOfFile: root + path, encoding: .utf8)
  }

  /// The owner and mode of a file that is there stay.
  func write(_ path: String, _ text: String) throws { try write(path, Array(text.utf8)) }

  func write(_ path: String, _ bytes: [UInt8]) throws {
    if FileManager.default.fileExists(atPath: root + path) {
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: root + path))
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: Data(bytes))
    } else {
      let folder = String(path[..<(try #require(path.lastIndex(of: "/")))])
      try FileManager.default.createDirectory(
        atPath: root + folder, withIntermediateDirectories: true)
      try #require(
        FileManager.default.createFile(
          atPath: root + path, contents: Data(bytes), attributes: [.posixPermissions: 0o644]))
    }
  }

  func edit(_ path: String, _ old: String, _ new: String) throws {
    let before = try text(path)
    try #require(before.contains(old), "\(old)")
    try write(path, before.replacingOccurrences(of: old, with: new))
  }

  func append(_ path: String, _ more: String) throws { try write(path, text(path) + more) }

  func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: root + path) }

  func chmod(_ path: String, _ mode: mode_t) throws {
    try #require(unsafe Glibc.chmod(root + path, mode) == 0)
  }

  func chown(_ path: String, _ user: UInt32, _ group: UInt32 = FalseHost.kist) throws {
    try #require(unsafe Glibc.lchown(root + path, user, group) == 0)
  }

  func change(_ body: (KeyStore) throws -> Void) throws {
    try body(store)
    try TestStore.save(store, in: root)
  }

  static let packaging = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../packaging").standardizedFileURL.path
}
