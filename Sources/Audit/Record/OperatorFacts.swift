package import Crypto
package import Format

/// The facts of a copy that was made of the key store.
package struct Backup: Hashable, Sendable {
  /// Identifies the copy: KEYSTORE.md [KS-COPY-DIGEST].
  package let digest: Digest256
  /// The generation of the copy's manifest.
  package let generation: UInt64
  /// The number of keys in it, without the destroyed ones.
  package let keys: UInt64
  /// The first record of the log that restoring the copy needs.
  package let needs: UInt64

  package init(digest: Digest256, generation: UInt64, keys: UInt64, needs: UInt64) {
    self.digest = digest
    self.generation = generation
    self.keys = keys
    self.needs = needs
  }
}

extension Backup {
  /// The members of `in.backup`.
  func write(into writer: inout CanonicalJSONWriter) {
    writer.member("digest", hex: digest.span)
    writer.member("generation", generation)
    writer.member("keys", keys)
    writer.member("needs", needs)
  }
}

extension CanonicalJSONReader {
  @_lifetime(self: copy self)
  mutating func readBackup() throws(CanonicalJSONError) -> Backup {
    var (digest, generation, keys, needs): (Digest256?, UInt64?, UInt64?, UInt64?)
    try readObject { (reader, name) throws(CanonicalJSONError) in
      switch name {
      case "digest": digest = try reader.readDigest256()
      case "generation": generation = try reader.readUnsigned()
      case "keys": keys = try reader.readUnsigned()
      case "needs": needs = try reader.readUnsigned()
      default: try reader.skip()
      }
    }
    guard let digest, let generation, let keys, let needs else { throw .schema }
    return Backup(digest: digest, generation: generation, keys: keys, needs: needs)
  }
}

/// The result of a drill, which compares keys rebuilt from a backup with the daemon's.
package struct Drill: Hashable, Sendable {
  /// The generation of the backup's manifest.
  package let generation: UInt64
  /// Keys that are the same in both.
  package let matched: UInt64
  /// Keys that only the daemon has.
  package let missing: UInt64
  /// Keys with the same id but another check value.
  package let different: UInt64
  /// Keys that only the backup has.
  package let surplus: UInt64
  /// Whether other records tell of other keys of the same drill.
  package let isPart: Bool

  package init(
    generation: UInt64, matched: UInt64, missing: UInt64, different: UInt64, surplus: UInt64,
    isPart: Bool = false
  ) {
    self.isPart = isPart
    self.generation = generation
    self.matched = matched
    self.missing = missing
    self.different = different
    self.surplus = surplus
  }
}

extension Drill {
  /// The members of `in.drill`.
  func write(into writer: inout CanonicalJSONWriter) {
    let counts = [
      ("different", different), ("generation", generation), ("matched", matched),
      ("missing", missing),
    ]
    for (name, value) in counts { writer.member(name, value) }
    if isPart { writer.member("part", .bool(true)) }
    writer.member("surplus", surplus)
  }
}

extension CanonicalJSONReader {
  @_lifetime(self: copy self)
  mutating func readDrill() throws(CanonicalJSONError) -> Drill {
    var isPart = false
    var (different, generation, matched, missing, surplus):
      (UInt64?, UInt64?, UInt64?, UInt64?, UInt64?)
    try readObject { (reader, name) throws(CanonicalJSONError) in
      switch name {
      case "different": different = try reader.readUnsigned()
      case "generation": generation = try reader.readUnsigned()
      case "matched": matched = try reader.readUnsigned()
      case "missing": missing = try reader.readUnsigned()
      case "part": isPart = try reader.readBool()
      case "surplus": surplus = try reader.readUnsigned()
      default: try reader.skip()
      }
    }
    guard let different, let generation, let matched, let missing, let surplus else {
      throw .schema
    }
    return Drill(
      generation: generation, matched: matched, missing: missing, different: different,
      surplus: surplus, isPart: isPart)
  }
}

/// A reviewer's statement that the log was read up to a checkpoint.
package struct SignOff: Hashable, Sendable {
  /// The checkpoint's head: all records before its size were reviewed.
  package let head: TreeHead
  package let outcome: ReviewOutcome
  package let note: ReviewNote

  package init(_ head: TreeHead, _ outcome: ReviewOutcome, _ note: ReviewNote) {
    self.head = head
    self.outcome = outcome
    self.note = note
  }
}

/// A reviewer's note: the only free text in a record, therefore bounded and printable.
package struct ReviewNote: Hashable, Sendable {
  package let text: String

  /// - Parameter text: 1 to 500 bytes of printable characters and plain spaces, with no space first
  ///   or last.
  package init?(_ text: String) {
    guard (1...ReviewLogRequest.Caps.note).contains(text.utf8.count), text.first != " ",
      text.last != " "
    else { return nil }
    // Other white space could make a note look empty.
    guard Printable.isLine(text),
      text.unicodeScalars.allSatisfy({ $0 == " " || !$0.properties.isWhitespace })
    else { return nil }
    self.text = text
  }
}

extension SignOff {
  /// The members of `in.review`.
  func write(into writer: inout CanonicalJSONWriter) {
    writer.member("note", note.text)
    writer.member("outcome", outcome.name)
    writer.member("root", hex: head.root.span)
    writer.member("size", head.size)
  }
}
