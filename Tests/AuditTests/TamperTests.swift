import Audit
import Crypto
import Format
import Foundation
import Host
import Review
import TestSupport
import Testing

/// What somebody without the log's key can do to the files, and what finds it out: the table of
/// AUDIT.md.
@Suite struct TamperTests {
  private let test: TestLog
  /// The head after the third of five commits, and after all.
  private let early, late: TreeHead
  private let lines: [String]
  private static let name = TestLog.path + "/00000000000000000000.log"

  init() throws {
    test = try TestLog()
    let log = try test.open()
    for number in 0..<3 { _ = try log.commit(Batch(requests: UInt64(number))) }
    early = log.head
    for number in 3..<5 { _ = try log.commit(Batch(requests: UInt64(number))) }
    try log.close()
    late = log.head
    lines = String(decoding: try #require(test.disk.contents(Self.name)), as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    )
    .map(String.init)
  }

  private func verdict(
    _ bytes: [UInt8], anchor: TreeHead? = nil, _ signatures: SignatureScope = .last
  ) -> Verdict {
    let copy = test.copy()
    copy.disk.plant(Self.name, bytes)
    return copy.verify(anchor: anchor, signatures).verdict
  }

  private func verdict(_ lines: [String], anchor: TreeHead? = nil) -> Verdict {
    verdict(Array(lines.joined(separator: "\n").utf8), anchor: anchor)
  }

  private var records: [Int] { lines.indices.filter { lines[$0].hasPrefix("{") } }

  @Test func theUntouchedLogIsGood() {
    #expect(verdict(lines) == .good)
    #expect(verdict(lines, anchor: early) == .good)
    #expect(verdict(lines, anchor: late) == .good)
    #expect(test.verify().uncoveredCount == 0)
  }

  @Test func everyFlippedByteIsFoundOut() throws {
    let small = try TestLog()
    let log = try small.open()
    _ = try log.commit(Batch(requests: 1))
    let end = try #require(small.disk.contents(Self.name)).trimmed.count
    _ = try log.commit(Batch(requests: 2))
    let bytes = try #require(small.disk.contents(Self.name)).trimmed
    let lastNote = try #require(String(decoding: bytes, as: UTF8.self).split(separator: "\n{").last)
      .split(separator: "\n", maxSplits: 1)[1].utf8.count
    #expect(bytes.count - lastNote > end)
    let text = String(decoding: bytes, as: UTF8.self)
    let stamps = text.ranges(of: #/\u{2014} [^ ]+ [^\n]+/#).map {
      text.utf8.distance(
        from: text.startIndex, to: $0.lowerBound)..<text.utf8.distance(
          from: text.startIndex, to: $0.upperBound)
    }
    // The signature's 64 bytes in base64, behind the key id.
    let covered = IndexSet(stamps.dropLast().flatMap { $0.suffix(87) })
    for i in LongForm.indices(of: bytes, oneIn: 5) {
      var flipped = bytes
      flipped[i] ^= 1 << UInt8(i % 8)
      let found = verdict(flipped, .every)
      let isTampered = if case .tampered = found { true } else { false }
      let isTorn = if case .torn = found { true } else { false }
      // Only the last batch may look like a crash, where its checkpoint or a zero byte is what was
      // changed.
      #expect(
        isTampered || isTorn && (i >= bytes.count - lastNote || i >= end && flipped[i] == 0),
        "byte \(i): \(found)")
      // Without every signature, nothing else is missed than the signature of a checkpoint that a
      // later one covers.
      let quick = verdict(flipped)
      #expect(quick == found || quick == .good && covered.contains(i), "byte \(i): \(quick)")
    }
  }

  @Test func aCoveredSignatureIsAskedForOnRequestOrWhenSomethingElseIsWrong() throws {
    let bytes = Array(lines.joined(separator: "\n").utf8)
    let stamps = lines.indices.filter { lines[$0].hasPrefix("\u{2014}") }
    var forged = lines
    forged[stamps[1]] = lines[stamps[2]]
    #expect(verdict(forged) == .good, "the last checkpoint covers the records")
    #expect(
      verdict(Array(forged.joined(separator: "\n").utf8), .every) == .tampered(at: 2, .signature))
    forged[stamps[stamps.count - 1]] = lines[stamps[2]]
    #expect(verdict(forged) == .tampered(at: 2, .signature), "the first bad signature is named")
    #expect(verdict(bytes, .every) == .good)
  }

  /// [AUD-REC-2] [AUD-REC-3]
  @Test func recordsEditedDeletedInsertedOrSwappedAreFoundOut() throws {
    let target = records[3]
    var edited = lines
    edited[target] = edited[target].replacing("\"uid\":1000", with: "\"uid\":1001")
    #expect(edited != lines)
    #expect(verdict(edited).exitCode == 1)

    var deleted = lines
    deleted.remove(at: target)
    #expect(verdict(deleted).exitCode == 1)

    var doubled = lines
    doubled.insert(lines[target], at: target)
    #expect(verdict(doubled) == .tampered(at: 4, .sequence))

    var swapped = lines
    swapped.swapAt(records[3], records[4])
    #expect(verdict(swapped) == .tampered(at: 3, .sequence))

    // A whole batch with its checkpoint gone from the middle.
    var cut = lines
    cut.removeSubrange(target..<records[4])
    #expect(verdict(cut).exitCode == 1)
  }

  /// The chain is recomputed through to the end: only the checkpoints stand in the way.
  @Test func aRecomputedChainIsFoundOutByTheCheckpoint() throws {
    var forged = lines
    var previous = String(repeating: "0", count: 64)
    for index in records {
      let place = try #require(forged[index].range(of: "\"prev\":\""))
      let digits = place.upperBound..<forged[index].index(place.upperBound, offsetBy: 64)
      forged[index].replaceSubrange(digits, with: previous)
      if index == records[3] {
        forged[index] = forged[index].replacing("\"uid\":1000", with: "\"uid\":1001")
      }
      previous = TreeHash.leaf(Array(forged[index].utf8).span).hex
    }
    #expect(verdict(forged) == .tampered(at: 3, .root))
  }

  @Test func aLogSignedByAnotherKeyIsRefused() throws {
    for signer in [try TestLog.signer(seed: 8), try TestLog.signer(name: "other", seed: 7)] {
      #expect(
        LogVerifier(signer.verifier).verify(test.directory).verdict == .tampered(at: 0, .signer))
    }
    let copy = test.copy()
    let before = copy.disk.contents(Self.name)
    let other = try TestLog(seed: 9)
    #expect(throws: AuditError.tampered(at: 0, .signer)) {
      try AuditLog(
        copy.directory, signer: other.signer, start: TestLog.start, settings: copy.settings)
    }
    #expect(copy.disk.contents(Self.name) == before, "a refused log is not touched")
  }

  @Test func aForkUnderTheSameKeyNeedsAnAnchor() throws {
    let fork = try TestLog()
    let log = try fork.open()
    for number in 10..<16 { _ = try log.commit(Batch(requests: UInt64(number))) }
    try log.close()
    #expect(fork.verify().verdict == .good)
    guard case .tampered(_, .fork) = fork.verify(anchor: early).verdict else {
      Issue.record("a fork is not the log of the anchor")
      return
    }
    #expect(throws: AuditError.self) { try fork.copy().open(anchor: early) }
  }

  /// A machine cannot prove its own log complete: cut back to a checkpoint it is good, but for an
  /// anchor outside.
  @Test func aLogCutBackToACheckpointNeedsAnAnchor() throws {
    let cut = Array(lines[..<(records[5])]) + [""]
    #expect(verdict(cut) == .good)
    #expect(verdict(cut, anchor: early) == .good)
    #expect(verdict(cut, anchor: late) == .truncated(size: early.size, expected: late.size))
    let copy = test.copy()
    copy.disk.plant(Self.name, Array(cut.joined(separator: "\n").utf8))
    #expect(throws: AuditError.truncated(size: early.size, expected: late.size)) {
      try copy.open(anchor: late)
    }
  }

  /// [AUD-CP-4]
  @Test func recordsWithoutTheirCheckpointAreNotGood() {
    let uncovered = Array(lines[...records[5]]) + [""]
    #expect(verdict(uncovered) == .torn(bytes: lines[records[5]].utf8.count + 1, records: 1))
  }

  /// [AUD-CP-4]
  @Test func aReplayedCheckpointIsFoundOut() throws {
    let note = Array(lines[(records[2] + 1)..<records[3]])
    var replayed = lines
    replayed.insert(contentsOf: note, at: records[4])
    #expect(verdict(replayed) == .tampered(at: 4, .size))
    var appended = lines.dropLast() + note
    appended.append("")
    #expect(verdict(appended) == .tampered(at: late.size, .size))
    var removed = lines
    removed.removeSubrange((records[2] + 1)..<records[3])
    #expect(verdict(removed) == .good, "the next checkpoint covers the same records")
  }

  /// [AUD-DIR-2]
  @Test func segmentsTakenAwayAreFoundOut() throws {
    let many = try TestLog(segmentLimit: 2000)
    let log = try many.open()
    while try many.segments().count < 5 { _ = try log.commit(Batch(requests: 1)) }
    try log.close()
    let segments = try many.segments()
    let names = segments.keys.sorted()

    let gap = many.copy()
    gap.disk.unplant(TestLog.path + "/" + names[2])
    #expect(gap.verify().verdict.exitCode == 3)

    let last = many.copy()
    last.disk.unplant(TestLog.path + "/" + names[4])
    #expect(last.verify().verdict == .good)
    #expect(last.verify(anchor: log.head).verdict.exitCode == 3)
    #expect(throws: AuditError.self) { try last.open(anchor: log.head) }

    let padded = many.copy()
    padded.disk.plant(TestLog.path + "/" + names[1], try #require(segments[names[1]]) + [0])
    guard case .tampered(_, .remainder) = padded.verify().verdict else {
      Issue.record("only the last segment may have unused space")
      return
    }

    let swapped = many.copy()
    swapped.disk.plant(TestLog.path + "/" + names[1], try #require(segments[names[2]]))
    #expect(swapped.verify().verdict.exitCode == 1)

    let earlier = many.copy()
    var bytes = try #require(segments[names[1]])
    bytes[100] ^= 1
    earlier.disk.plant(TestLog.path + "/" + names[1], bytes)
    #expect(earlier.verify().verdict.exitCode == 1)
  }

  /// [AUD-OPEN-1] [AUD-OPEN-3] Opening checks the records of the last segment, and refuses before
  /// it changes anything.
  @Test func aChangedLogIsNotOpened() throws {
    let bytes = try #require(test.disk.contents(Self.name))
    for index in records.dropLast() {
      let place = Array(lines[..<index].joined(separator: "\n").utf8).count + 60
      var changed = bytes
      changed[place] ^= 1
      let copy = test.copy()
      copy.disk.plant(Self.name, changed)
      #expect(throws: AuditError.self) { try copy.open() }
      #expect(copy.disk.contents(Self.name) == changed)
    }
  }

  @Test func verdictsHaveTheirExitCodes() {
    let codes: [(Verdict, Int32)] = [
      (.good, 0), (.tampered(at: 1, .root), 1), (.truncated(size: 1, expected: 2), 3),
      (.torn(bytes: 1, records: 0), 4),
      (.unreadable(nil), 66), (.unreadable(DiskError(.list, errno: 2)), 66),
    ]
    for (verdict, code) in codes { #expect(verdict.exitCode == code) }
    #expect(
      LogVerifier(test.signer.verifier).verify(LogDirectory("/nowhere", on: test.disk)).verdict
        == .unreadable(DiskError(.list, errno: 2)))
  }
}
