import Audit
import Crypto
import Foundation
import Review
import TestSupport
import Testing

/// Does what each row of the attacks in docs/AUDIT.md says, and compares what the verifier finds
/// with the row.
@Suite struct AttackTableTests {
  /// Three segments and more.
  private let test: TestLog
  private let names: [String]
  /// Kept elsewhere, after the last record.
  private let kept: TreeHead

  init() throws {
    test = try TestLog(segmentLimit: 2500)
    let log = try test.open()
    while try test.segments().count < 4 { _ = try log.commit(Batch(requests: 1, 2)) }
    for number in 3..<6 { _ = try log.commit(Batch(requests: UInt64(number), UInt64(number))) }
    try log.close()
    kept = log.head
    names = try test.segments().keys.sorted()
  }

  private struct Row {
    let attack: String
    let alone, anchored: String
  }

  private static func rows() throws -> [Row] {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
        "docs/AUDIT.md")
    let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix("| attack | log alone") })
    return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
      let cells = line.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      return Row(attack: cells[1], alone: cells[2], anchored: cells[3])
    }
  }

  private typealias Attack = @Sendable (AttackTableTests, TestLog) throws -> Void

  @Test func everyRowIsAsTheTableSays() throws {
    let rows = try Self.rows()
    #expect(
      rows.map(\.attack) == Self.attacks.map(\.name), "every row has its attack, in the same order")
    for (row, attack) in zip(rows, Self.attacks) {
      let victim = test.copy()
      try attack.run(self, victim)
      let scope: SignatureScope = attack.name.contains("--every-signature") ? .every : .last
      #expect(victim.verify(scope).verdict.name == row.alone, "\(row.attack), alone")
      #expect(
        victim.verify(anchor: kept, scope).verdict.name == row.anchored,
        "\(row.attack), with a checkpoint")
    }
    #expect(test.verify(.every).verdict == .good)
  }

  private static let attacks: [(name: String, run: Attack)] = [
    ("flip a bit of a record", { try $0.edit($1) { $0[$1.records[2]].flip(20) } }),
    (
      "flip a bit of a checkpoint's size or root",
      { try $0.edit($1) { $0[$1.notes[1] + 2].flip(5) } }
    ),
    (
      "flip a bit of the newest signature",
      { try $0.edit($1, $0.names.count - 1) { $0[$1.notes[$1.notes.count - 1] + 4].flip(60) } }
    ),
    (
      "flip a bit of a signature that a later one covers",
      { try $0.edit($1) { $0[$1.notes[1] + 4].flip(60) } }
    ),
    ("the same, with `--every-signature`", { try $0.edit($1) { $0[$1.notes[1] + 4].flip(60) } }),
    ("drop a record", { try $0.edit($1) { $0.remove(at: $1.records[3]) } }),
    (
      "drop a batch with its checkpoint",
      { try $0.edit($1) { $0.removeSubrange($1.notes[0] + 5..<$1.notes[1] + 5) } }
    ),
    (
      "drop a checkpoint that a later one covers",
      { try $0.edit($1) { $0.removeSubrange($1.notes[1]..<$1.notes[1] + 5) } }
    ),
    ("insert a record", { try $0.edit($1) { $0.insert($0[$1.records[3]], at: $1.records[3]) } }),
    ("swap two records", { try $0.edit($1) { $0.swapAt($1.records[2], $1.records[3]) } }),
    (
      "edit a record and recompute the chain",
      { test, victim in try test.rechain(victim, signer: nil) }
    ),
    (
      "edit a record and sign anew with another key",
      { test, victim in try test.rechain(victim, signer: TestLog.signer(seed: 8)) }
    ),
    (
      "replay an older checkpoint",
      {
        try $0.edit($1) {
          $0.insert(contentsOf: $0[$1.notes[0]..<$1.notes[0] + 5], at: $1.notes[2])
        }
      }
    ),
    (
      "take another log's segment",
      { test, victim in try test.plant(victim, 1, from: test.other().segments()) }
    ),
    (
      "append records without the key",
      { try $0.edit($1, $0.names.count - 1) { $0.insert($0[$1.records[1]], at: $0.count - 1) } }
    ),
    (
      "cut the last batch in the middle",
      { test, victim in
        try test.cut(victim, test.names.count - 1) { lines, places in
          lines.removeSubrange((places.records[places.records.count - 2] + 1)...)
        }
      }
    ),
    (
      "truncate to an older checkpoint",
      { test, victim in
        try test.cut(victim, test.names.count - 1) { lines, places in
          lines.removeSubrange((places.notes[0] + 5)...)
        }
      }
    ),
    (
      "remove the newest segment",
      { test, victim in victim.disk.unplant(test.path(test.names.count - 1)) }
    ),
    ("remove a segment in the middle", { test, victim in victim.disk.unplant(test.path(1)) }),
    ("remove the oldest segment", { test, victim in victim.disk.unplant(test.path(0)) }),
    ("roll the whole disk back", { test, victim in try test.rollBack(victim) }),
    (
      "fork with the stolen log key",
      { test, victim in try test.rechain(victim, signer: TestLog.signer(seed: 7)) }
    ),
    ("append with the stolen log key", { test, victim in try test.append(victim) }),
  ]
}

/// Where what stands in a segment's lines.
private struct Places {
  let records: [Int]
  /// First lines of checkpoints.
  let notes: [Int]

  init(_ lines: [String]) {
    records = lines.indices.filter { lines[$0].hasPrefix("{") }
    notes = lines.indices.filter { lines[$0] == TestLog.origin }
  }
}

extension AttackTableTests {
  private func path(_ segment: Int) -> String { TestLog.path + "/" + names[segment] }

  private func lines(_ log: TestLog, _ segment: Int) throws -> [String] {
    String(decoding: try #require(log.disk.contents(path(segment))).trimmed, as: UTF8.self)
      .components(separatedBy: "\n")
  }

  private func edit(
    _ victim: TestLog, _ segment: Int = 1, _ change: (inout [String], Places) -> Void
  ) throws {
    var lines = try lines(victim, segment)
    change(&lines, Places(lines))
    victim.disk.plant(path(segment), Array(lines.joined(separator: "\n").utf8))
  }

  /// As `edit`, but lines end where they are cut.
  private func cut(_ victim: TestLog, _ segment: Int, _ change: (inout [String], Places) -> Void)
    throws
  {
    try edit(victim, segment) { lines, places in
      change(&lines, places)
      lines.append("")
    }
  }

  private func other() throws -> TestLog {
    let other = try TestLog(segmentLimit: 2500)
    let log = try other.open()
    while try other.segments().count < 4 { _ = try log.commit(Batch(requests: 8, 9)) }
    try log.close()
    return other
  }

  private func plant(_ victim: TestLog, _ segment: Int, from segments: [String: [UInt8]]) throws {
    victim.disk.plant(path(segment), try #require(segments[names[segment]]))
  }

  private func rollBack(_ victim: TestLog) throws {
    victim.disk.unplant(path(names.count - 1))
    try cut(victim, names.count - 2) { lines, places in
      lines.removeSubrange((places.notes[1] + 5)...)
    }
  }

  private func append(_ victim: TestLog) throws {
    let log = try victim.open()
    _ = try log.commit(Batch(requests: 99))
    try log.close()
  }

  /// Edits one record and makes the rest of the log fit it, with new checkpoints where there is a
  /// key.
  private func rechain(_ victim: TestLog, signer: NoteSigner?) throws {
    var previous = String(repeating: "0", count: 64)
    var edge = Frontier()
    for segment in names.indices {
      var lines = try lines(victim, segment)
      let places = Places(lines)
      for index in lines.indices {
        if places.records.contains(index) {
          lines[index] = lines[index].replacing(
            #/"prev":"[0-9a-f]{64}"/#, with: "\"prev\":\"\(previous)\"")
          if lines[index].contains("\"frontier\"") {
            let hashes = edge.hashes.map { "\"\($0.hex)\"" }.joined(separator: ",")
            lines[index] = lines[index].replacing(
              #/"frontier":\[[^\]]*\]/#, with: "\"frontier\":[\(hashes)]")
          }
          if segment == 1, index == places.records[2] {
            lines[index] = lines[index].replacing("\"uid\":1000", with: "\"uid\":1001")
          }
          let leaf = TreeHash.leaf(Array(lines[index].utf8).span)
          edge.append(leaf)
          previous = leaf.hex
        } else if let signer, places.notes.contains(index) {
          let note = try Checkpoint(origin: TestLog.origin, head: edge.head).signed(by: signer)
          lines.replaceSubrange(
            index..<index + 5,
            with: String(decoding: note.dropLast(), as: UTF8.self).components(separatedBy: "\n"))
        }
      }
      victim.disk.plant(path(segment), Array(lines.joined(separator: "\n").utf8))
    }
  }
}

extension TestLog {
  fileprivate func verify(_ signatures: SignatureScope) -> Verification {
    verify(anchor: nil, signatures)
  }
}

extension String {
  /// Another letter of the same alphabet at that place.
  fileprivate mutating func flip(_ place: Int) {
    let index = utf8.index(startIndex, offsetBy: place)
    replaceSubrange(index...index, with: self[index] == "a" ? "b" : "a")
  }
}
