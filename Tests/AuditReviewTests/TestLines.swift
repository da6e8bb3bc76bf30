import Audit
import Format
import Host
import TestSupport

/// Record lines in segments on a simulated disk, as a daemon would have written them but for the
/// chain.
struct TestLines {
  static let path = "/log"
  let disk = SimulatedDisk()

  init() throws { try disk.makeDirectory(Self.path, mode: 0o700) }

  /// One segment: the lines, a checkpoint's five lines behind every second, and zero bytes at the
  /// end.
  func addSegment(first: Int, _ lines: [String]) throws {
    var text = ""
    for (place, line) in lines.enumerated() {
      text += line + "\n"
      if place % 2 == 1 {
        text += "kist.test/audit\n\(first + place + 1)\nAAAA\n\n\u{2014} kist.test/audit AAAA\n"
      }
    }
    let bytes = Array(text.utf8) + [UInt8](repeating: 0, count: 4096)
    let digits = String(first)
    let file = try File(
      Self.path + "/" + String(repeating: "0", count: 20 - digits.count) + digits + ".log",
      .create(mode: 0o600), on: disk)
    try file.write(bytes.span, at: 0)
  }

  /// A request's line.
  ///
  /// - Parameter review: how many records it signs off.
  static func line(
    _ sequence: Int, second: Int = 0, uid: Int = 1000, unit: String = "shop.service",
    op: String = "open-payment-token", label: String = "merchant/acme/a",
    key: Int = 1, grant: String? = "shop", result: String = "ok", stage: String? = nil,
    digest: String? = nil, review: Int? = nil,
    padding: Int = 0, name: String? = nil, owner: Int? = nil, ownerName: String? = nil
  ) -> String {
    let policy: [CanonicalJSON.Member] =
      grant.map { [.init("decision", .string("allow")), .init("grant", .string($0))] } ?? [
        .init("decision", .string("deny")), .init("denial", .string("no-grant")),
      ]
    var members: [CanonicalJSON.Member] = [
      .init(
        "actor",
        .object(
          [
            .init("exe", .string(String(repeating: "x", count: padding))),
            .init("uid", .integer(Int64(uid))), .init("unit", .string(unit)),
          ]
            + (name.map { [.init("name", .string($0))] } ?? [])
            + (owner.map { [.init("owner", .integer(Int64($0)))] } ?? [])
            + (ownerName.map { [.init("owner_name", .string($0))] } ?? []))),
      .init("boot", .string("b")), .init("key", .string(hex(key, 32))),
      .init("label", .string(label)), .init("op", .string(op)),
      .init("policy", .object(policy)),
      .init("prev", .string(hex(0, 64))), .init("req", .string(hex(sequence, 16))),
      .init("result", .string(result)), .init("seq", .integer(Int64(sequence))),
      .init("ts", .string(Timestamp(seconds: 1_800_000_000 + Int64(second)).description)),
      .init("v", .integer(1)),
    ]
    if let stage { members.append(.init("stage", .string(stage))) }
    if let digest { members.append(.init("in", .object([.init("transaction", .string(digest))]))) }
    if let review {
      let signOff: [CanonicalJSON.Member] = [
        .init("note", .string("read it all")), .init("outcome", .string("clean")),
        .init("root", .string(hex(0, 64))), .init("size", .integer(Int64(review))),
      ]
      members.append(.init("in", .object([.init("review", .object(signOff))])))
    }
    return String(decoding: CanonicalJSON.object(members).serialised, as: UTF8.self)
  }

  /// An event's line.
  static func event(
    _ sequence: Int, second: Int = 0, _ op: String, _ event: [CanonicalJSON.Member] = []
  ) -> String {
    let members: [CanonicalJSON.Member] = [
      .init("boot", .string("b")), .init("event", .object(event)), .init("op", .string(op)),
      .init("prev", .string(hex(0, 64))),
      .init("seq", .integer(Int64(sequence))),
      .init("ts", .string(Timestamp(seconds: 1_800_000_000 + Int64(second)).description)),
      .init("v", .integer(1)),
    ]
    return String(decoding: CanonicalJSON.object(members).serialised, as: UTF8.self)
  }

  static func hex(_ number: Int, _ digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: digits - text.count) + text
  }
}
