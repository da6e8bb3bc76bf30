package import Audit
package import Format

/// Whose cosignatures a checkpoint needs (C2SP tlog-policy).
package struct WitnessPolicy: Sendable {
  /// The logs to which the policy applies; empty means any log.
  package private(set) var logs: [NoteVerifier] = []
  package private(set) var witnesses: [Witness] = []
  private var groups: [Group] = []
  /// Nil means that no witness is needed.
  private var quorum: Name?

  package struct Witness: Sendable {
    package let name: [UInt8]
    package let key: WitnessKey
    package let url: String?
  }

  private struct Group {
    let name: Name
    let threshold: Int
    let members: [Name]
  }

  /// Names are compared byte for byte.
  private typealias Name = [UInt8]

  package static let byteLimit = 64 << 10
  /// The most logs, witnesses and groups, each.
  static let countLimit = 64

  /// - Throws: `WitnessPolicyError` with the line's number.
  package init(parsing text: Span<UInt8>) throws(WitnessPolicyError) {
    guard text.count <= Self.byteLimit else { throw WitnessPolicyError(line: 1, .tooLong) }
    var hasQuorum = false
    var number = 1
    var start = 0
    while start < text.count {
      guard let end = (start..<text.count).first(where: { text[$0] == 0x0A }) else {
        throw WitnessPolicyError(line: number, .syntax)
      }
      do throws(WitnessPolicyError.Reason) {
        try read(Self.words(text.extracting(start..<end)), &hasQuorum)
      } catch { throw WitnessPolicyError(line: number, error) }
      number = number + 1
      start = end + 1
    }
    guard hasQuorum else { throw WitnessPolicyError(line: number, .noQuorum) }
  }

  /// How far a witness's clock may be ahead of ours, in seconds.
  private static let clockSkew: UInt64 = 300

  /// Whether a log of this policy, if it names any, signed the checkpoint, and enough witnesses
  /// cosigned it. An invalid line of a witness, or one from the future, does not count.
  package func isSatisfied(by note: CosignedCheckpoint, now: Timestamp) -> Bool {
    guard logs.isEmpty || logs.contains(where: { (try? note.head(signedBy: $0)) != nil }) else {
      return false
    }
    guard let quorum else { return true }
    var holds: [Name: Bool] = [:]
    for (witness, _) in cosigners(of: note, now: now) { holds[witness.name] = true }
    // A group's members come before it.
    for group in groups {
      holds[group.name] = group.members.count { holds[$0] == true } >= group.threshold
    }
    return holds[quorum] == true
  }

  /// Whether the line is a valid cosignature of a witness of this policy.
  package func takes(_ stamp: NoteStamp, over checkpoint: Checkpoint) -> Bool {
    witnesses.contains { $0.key.time(of: stamp, over: checkpoint) != nil }
  }

  /// The witnesses that have cosigned by now, with their times.
  package func cosigners(of note: CosignedCheckpoint, now: Timestamp) -> [(
    witness: Witness, time: UInt64
  )] {
    let latest = UInt64(clamping: now.seconds) + Self.clockSkew
    return witnesses.compactMap { witness in
      guard let time = (try? witness.key.time(of: note)) ?? nil, time <= latest else { return nil }
      return (witness, time)
    }
  }
}

/// What is wrong with a policy file, and in which line.
package struct WitnessPolicyError: Error, Equatable {
  package let line: Int
  package let reason: Reason

  init(line: Int, _ reason: Reason) {
    self.line = line
    self.reason = reason
  }

  package enum Reason: String, Error {
    case tooLong = "too long"
    case syntax = "not a line of a witness policy"
    case key = "no verifier key of the right kind"
    case duplicate = "the name or key is there twice"
    case unknownName = "a name that no line before defines"
    case member = "already a member of a group"
    case threshold = "a threshold that the group cannot have"
    case noQuorum = "there is no quorum line"
    case quorum = "a second quorum line"
  }
}

extension WitnessPolicy {
  private mutating func read(_ words: [Name], _ hasQuorum: inout Bool) throws(WitnessPolicyError
    .Reason)
  {
    guard let keyword = words.first else { return }
    switch String(decoding: keyword, as: UTF8.self) {
    case "log": try readLog(words)
    case "witness": try readWitness(words)
    case "group": try readGroup(words)
    case "quorum":
      guard words.count == 2 else { throw .syntax }
      guard !hasQuorum else { throw .quorum }
      hasQuorum = true
      if words[1] != Self.none { quorum = try defined(words[1]) }
    default: throw .syntax
    }
  }

  private mutating func readLog(_ words: [Name]) throws(WitnessPolicyError.Reason) {
    guard (2...3).contains(words.count) else { throw .syntax }
    guard let log = try? NoteVerifier(vkey: String(decoding: words[1], as: UTF8.self)) else {
      throw .key
    }
    guard logs.count < Self.countLimit else { throw .tooLong }
    guard !logs.contains(where: { $0.spki == log.spki }) else { throw .duplicate }
    logs.append(log)
  }

  private mutating func readWitness(_ words: [Name]) throws(WitnessPolicyError.Reason) {
    guard (3...4).contains(words.count) else { throw .syntax }
    guard let key = try? WitnessKey(vkey: String(decoding: words[2], as: UTF8.self)) else {
      throw .key
    }
    guard witnesses.count < Self.countLimit else { throw .tooLong }
    guard isFree(words[1]), !witnesses.contains(where: { $0.key.key.spki == key.key.spki }) else {
      throw .duplicate
    }
    witnesses.append(
      Witness(
        name: words[1], key: key,
        url: words.count == 4 ? String(decoding: words[3], as: UTF8.self) : nil))
  }

  private mutating func readGroup(_ words: [Name]) throws(WitnessPolicyError.Reason) {
    guard words.count >= 4 else { throw .syntax }
    guard groups.count < Self.countLimit else { throw .tooLong }
    guard isFree(words[1]) else { throw .duplicate }
    var members: [Name] = []
    for word in words[3...] {
      let member = try defined(word)
      guard !members.contains(member), !groups.contains(where: { $0.members.contains(member) })
      else { throw .member }
      members.append(member)
    }
    groups.append(
      Group(
        name: words[1], threshold: try Self.threshold(words[2], of: members.count), members: members
      ))
  }

  private static func threshold(_ word: Name, of count: Int) throws(WitnessPolicyError.Reason)
    -> Int
  {
    switch String(decoding: word, as: UTF8.self) {
    case "all": return count
    case "any": return 1
    default:
      guard let number = Checkpoint.size(word.span), let threshold = Int(exactly: number),
        (1...count).contains(threshold)
      else { throw .threshold }
      return threshold
    }
  }

  private func isFree(_ name: Name) -> Bool { name != Self.none && !isDefined(name) }

  private func isDefined(_ name: Name) -> Bool {
    witnesses.contains { $0.name == name } || groups.contains { $0.name == name }
  }

  private func defined(_ name: Name) throws(WitnessPolicyError.Reason) -> Name {
    guard isDefined(name) else { throw .unknownName }
    return name
  }

  private static let none = Array("none".utf8)

  /// The words of a line, separated by spaces and tabs; none for a comment.
  private static func words(_ line: Span<UInt8>) throws(WitnessPolicyError.Reason) -> [Name] {
    for i in line.indices where line[i] != 0x09 && (line[i] < 0x20 || line[i] == 0x7F) {
      throw .syntax
    }
    let words = line.array.split { $0 == 0x20 || $0 == 0x09 }.map(Array.init)
    return words.first?.first == UInt8(ascii: "#") ? [] : words
  }
}

/// The public key of a witness that cosigns checkpoints (C2SP tlog-cosignature, Ed25519).
package struct WitnessKey: Sendable {
  package let key: NoteKey

  /// Parses `name+hex(key id)+base64(0x04 ‖ public key)`.
  package init(vkey: some StringProtocol) throws(NoteError) {
    key = try NoteKey(vkey: vkey, .cosignature)
  }

  /// When this witness says it saw the checkpoint, in seconds since 1970; nil if it has not signed
  /// it.
  ///
  /// - Throws: `NoteError.signature` if its line is invalid.
  package func time(of note: CosignedCheckpoint) throws(NoteError) -> UInt64? {
    var latest: UInt64?
    for stamp in note.stamps where key.goes(with: stamp) {
      guard let time = time(of: stamp, over: note.checkpoint) else { throw .signature }
      latest = max(latest ?? 0, time)
    }
    return latest
  }

  /// The time of a valid cosignature: u64 time ‖ 64 bytes of Ed25519.
  package func time(of stamp: NoteStamp, over checkpoint: Checkpoint) -> UInt64? {
    guard key.goes(with: stamp), stamp.signature.count == 72 else { return nil }
    let time = stamp.signature.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    guard time <= UInt64(Int64.max) else { return nil }
    let message = Array("cosignature/v1\ntime \(time)\n".utf8) + checkpoint.text
    let signature = Array(stamp.signature.dropFirst(8))
    return key.verify(signature.span, over: message.span) ? time : nil
  }
}
