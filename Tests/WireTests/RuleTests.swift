import Format
import Foundation
import TestSupport
import Testing

/// `proto/PROTOCOL.md` against what cites it.
@Suite("rules of the protocol")
struct RuleTests {
  @Test("every rule is cited by a test")
  func tested() throws {
    #expect(Set(try defined()).subtracting(try cited(in: "Tests")) == [])
  }

  @Test("what code and tests cite is a rule, and no rule is defined twice")
  func citations() throws {
    let defined = try defined()
    #expect(Set(defined).count == defined.count)
    #expect(defined.count == 167)
    #expect(try cited(in: "Sources").union(cited(in: "Tests")).subtracting(defined) == [])
  }

  @Test("[WIRE-1] [WIRE-2] the worked example is what the code reads and writes")
  func example() throws {
    let blocks = try specification().components(separatedBy: "## 9. Example")[1].components(
      separatedBy: "\n\n"
    ).filter { $0.hasPrefix("    ") }
    let frames = blocks.map { block in
      block.split(separator: "\n").flatMap {
        Hex.decode($0.dropFirst(4).prefix(23).filter { $0 != " " }) ?? []
      }
    }
    try #require(frames.count == 2)

    let request = try Decoded(.frames(.request), frames[0])
    #expect(request.bytes == frames[0])
    #expect(
      request.fields.prefix(3) == [
        "frame[0].flags = 0", "frame[0].opcode = 5", "frame[0].request_id = 2",
      ])
    #expect(
      try Decoded(.message("RandomRequest"), Array(frames[0].dropFirst(32))).fields == [
        "count = 16"
      ])

    let reply = try Decoded(.frames(.reply), frames[1])
    #expect(reply.bytes == frames[1])
    #expect(
      reply.fields.prefix(4) == [
        "frame[0].status = 0", "frame[0].opcode = 5", "frame[0].request_id = 2",
        "frame[0].audit_sequence = 41",
      ])
    #expect(
      try Decoded(.message("RandomReply"), Array(frames[1].dropFirst(24))).fields == [
        "random = hex:8f3c6105d27b449e1ac0f75833e60db9"
      ])
  }

  @Test("[WIRE-9] every opcode, status, stage and released field stands in its table")
  func tables() throws {
    let text = try specification()
    for opcode in Opcode.allCases {
      #expect(
        text.contains(
          "| 0x\(Hex.encode([UInt8(opcode.rawValue >> 8), UInt8(opcode.rawValue & 0xFF)])) | `\(opcode.name)` |"
        ))
    }
    for status in Status.allCases {
      #expect(text.contains("| \(status.rawValue) | `\(status.name)` |"))
    }
    for stage in Stage.allCases {
      #expect(text.contains("| \(stage.rawValue) | `\(stage.name)` |"))
    }
    for field in PassField.allCases {
      #expect(text.contains("| \(field.rawValue) | `\(field.name)` |"))
    }
    for field in ReleasedField.allCases {
      #expect(text.contains("| \(field.rawValue) | `\(field.name)` |"))
    }
    for message in Schema.messages where message.name.hasSuffix("Request") {
      #expect(text.contains("`\(message.name)`"))
    }
  }

  /// Those of the store are kist-claimd's, and tested in `Tests/fleet`.
  @Test("every rule of FLEET.md is cited by a test, and what is cited is a rule") func fleet()
    throws
  {
    let text = try String(
      contentsOf: Repository.root.appending(path: "proto/FLEET.md"), encoding: .utf8)
    let rules = text.matches(of: /(?m)^- \*\*\[(FLEET-[A-Z0-9-]+)\]\*\*/).map { String($0.1) }
    #expect(Set(rules).count == rules.count && rules.count == 31)
    let cited = try cited(in: "Tests", Self.fleetRule)
    #expect(Set(rules).subtracting(cited) == [])
    #expect(try cited.union(self.cited(in: "Sources", Self.fleetRule)).subtracting(rules) == [])
  }

  @Test(
    "every rule of the key store and of the log is cited by a test, and what is cited is a rule",
    arguments: [("KEYSTORE", "KS", 106), ("AUDIT", "AUD", 38)])
  func storeAndLog(page: String, family: String, count: Int) throws {
    let text = try String(
      contentsOf: Repository.root.appending(path: "proto/\(page).md"), encoding: .utf8)
    let rule = try Regex("(\(family)-[A-Z]+(?:-[A-Z0-9]+)*)", as: (Substring, Substring).self)
    let rules = Set(text.matches(of: rule).map { String($0.1) })
    #expect(rules.count == count)
    let cited = try cited(in: "Tests", rule)
    #expect(rules.subtracting(cited) == [])
    #expect(try cited.union(self.cited(in: "Sources", rule)).subtracting(rules) == [])
  }

  private static var fleetRule: Regex<(Substring, Substring)> { /\[(FLEET-(?:F|[A-Z]+-)[0-9]+)\]/ }

  private func specification() throws -> String {
    try String(contentsOf: Repository.root.appending(path: "proto/PROTOCOL.md"), encoding: .utf8)
  }

  /// A rule is defined where a line of a list or a paragraph begins with its id in bold.
  private func defined() throws -> [String] {
    try specification().matches(of: /(?m)^(?:- )?\*\*\[((?:WIRE|OP)-[A-Z0-9-]+)\]\*\*/).map {
      String($0.1)
    }
  }

  private func cited(
    in folder: String, _ rule: Regex<(Substring, Substring)> = /\[((?:WIRE|OP)-[A-Z]*-?[0-9]+)\]/
  ) throws -> Set<String> {
    let files = try #require(
      FileManager.default.enumerator(
        at: Repository.root.appending(path: folder), includingPropertiesForKeys: nil))
    var ids: Set<String> = []
    for case let file as URL in files where ["swift", "c", "py"].contains(file.pathExtension) {
      ids.formUnion(
        try String(contentsOf: file, encoding: .utf8).matches(of: rule).map { String($0.1) })
    }
    return ids
  }
}
