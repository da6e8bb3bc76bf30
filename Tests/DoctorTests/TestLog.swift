import Crypto
import Format
import Foundation
import Review
import TestSupport
import Testing

@testable import Audit

/// A log of one segment, with its checkpoint, written as text: the doctor verifies no signature.
struct TestLog {
  static let origin = "shop.example/kist/1"

  struct Line {
    let operation: String
    var label: String?
    var result: String? = "ok"
    /// An event's only member.
    var event: (name: String, value: String)?
    let time: Timestamp
  }

  var lines = [
    Line(operation: "start", result: nil, time: Self.day(-10)),
    Line(operation: "import-key", label: "merchant/acme/processing-2026", time: Self.day(-9)),
    Line(operation: "back-up", time: Self.day(-8)),
  ]
  var origin = Self.origin
  /// Of the checkpoint in the state directory; nil for the log's own.
  var keptSize: UInt64?

  static func day(_ days: Int64) -> Timestamp { FalseHost.now.adding(seconds: 86_400 * days) }

  func write(to root: String) throws {
    let records = lines.enumerated().map { number, line in
      let members: [CanonicalJSON.Member?] = [
        .init("boot", .string("0123456789abcdef0123456789abcdef")),
        line.event.map { .init("event", .object([.init($0.name, .string($0.value))])) },
        line.label.map { .init("label", .string($0)) }, .init("op", .string(line.operation)),
        .init("prev", .string(String(repeating: "0", count: 64))),
        line.result.map { .init("result", .string($0)) }, .init("seq", .integer(Int64(number))),
        .init("ts", .string(line.time.description)), .init("v", .integer(1)),
      ]
      return String(
        decoding: CanonicalJSON.object(members.compactMap { $0 }).serialised, as: UTF8.self) + "\n"
    }
    let size = UInt64(lines.count)
    let segment = records.joined() + String(decoding: try note(size), as: UTF8.self)
    try put(root + "/var/log/kist/audit/00000000000000000000.log", Array(segment.utf8), 996, 0o640)
    try put(root + "/var/lib/kist/audit.checkpoint", note(keptSize ?? size), FalseHost.kist, 0o600)
  }

  func note(_ size: UInt64) throws -> [UInt8] {
    let signer = try NoteSigner(
      name: origin, key: PrivateKey(ed25519Seed: [UInt8](repeating: 7, count: 32).span))
    return try Checkpoint(
      origin: origin, head: TreeHead(size: size, root: SHA256.hash([UInt8(size)]))
    ).signed(by: signer)
  }

  /// As it is kept elsewhere.
  func checkpoint(witnessed: Timestamp? = nil) throws -> CosignedCheckpoint {
    let note = try note(UInt64(lines.count))
    var checkpoint = try CosignedCheckpoint(parsing: note.span)
    guard let witnessed else { return checkpoint }
    let signature = UInt64(witnessed.seconds).bigEndianBytes + [UInt8](repeating: 1, count: 64)
    checkpoint.add(.init(name: "witness.example", keyID: 1, signature: signature))
    return checkpoint
  }

  private func put(_ path: String, _ bytes: [UInt8], _ group: UInt32, _ mode: mode_t) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try #require(unsafe chown(path, FalseHost.kist, group) == 0 && chmod(path, mode) == 0)
  }
}
