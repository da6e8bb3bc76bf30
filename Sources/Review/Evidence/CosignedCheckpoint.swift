package import Audit
import Crypto
import Format

/// A checkpoint with any number of signature lines, as witnesses return it; parsed but not yet
/// verified.
package struct CosignedCheckpoint: Equatable, Sendable {
  package let checkpoint: Checkpoint
  package private(set) var stamps: [NoteStamp]

  /// The size of the longest note that is read, in bytes, and its most signature lines.
  package static let byteLimit = 16 << 10
  static let stampLimit = 64

  package init(_ signed: SignedCheckpoint) {
    checkpoint = signed.checkpoint
    stamps = [signed.stamp]
  }

  /// Parses exactly one note: origin, size, root, empty line, signature lines, nothing else.
  ///
  /// - Throws: `NoteError.format`.
  package init(parsing note: Span<UInt8>) throws(NoteError) {
    guard note.count <= Self.byteLimit else { throw .format }
    var lines = NoteLines(note)
    checkpoint = try Checkpoint(reading: &lines)
    guard let separator = lines.next(), separator.isEmpty else { throw .format }
    stamps = try NoteStamp.all(in: note.extracting(droppingFirst: lines.offset))
    guard stamps.count <= Self.stampLimit else { throw .format }
  }

  /// The note, with every newline.
  package var note: [UInt8] { checkpoint.text + [0x0A] + stamps.flatMap(\.line) }

  /// The tree head, if the log signed it; lines of unknown keys are ignored.
  ///
  /// - Throws: `NoteError.signer` if no line is the log's, `.signature` if one is invalid.
  package func head(signedBy verifier: NoteVerifier) throws(NoteError) -> TreeHead {
    let lines = stamps.filter(verifier.key.goes)
    guard checkpoint.origin == verifier.name, !lines.isEmpty else { throw .signer }
    for line in lines where !verifier.key.verify(line.signature.span, over: checkpoint.text.span) {
      throw .signature
    }
    return checkpoint.head
  }

  /// Adds a line, which replaces an earlier one of the same key.
  package mutating func add(_ stamp: NoteStamp) {
    stamps.removeAll { $0.name == stamp.name && $0.keyID == stamp.keyID }
    stamps.append(stamp)
  }
}

extension NoteStamp {
  /// Parses one or more lines, each with its newline, and nothing else.
  ///
  /// - Throws: `NoteError.format`.
  package static func all(in text: Span<UInt8>) throws(NoteError) -> [NoteStamp] {
    var lines = NoteLines(text)
    var stamps: [NoteStamp] = []
    repeat {
      guard let line = lines.next() else { throw .format }
      stamps.append(try NoteStamp(parsing: text.extracting(line)))
    } while !lines.isAtEnd
    return stamps
  }
}

extension SignedCheckpoint {
  /// The whole note, as bytes.
  package var note: [UInt8] { checkpoint.text + [0x0A] + stamp.line }
}

extension NoteVerifier {
  /// Parses `name+hex(key id)+base64(0x01 ‖ public key)`.
  package init(vkey: some StringProtocol) throws(NoteError) {
    try self.init(NoteKey(vkey: vkey, .note))
  }
}

extension NoteKey {
  /// Parses `name+hex(key id)+base64(algorithm ‖ public key)`.
  init(vkey: some StringProtocol, _ algorithm: Algorithm) throws(NoteError) {
    let parts = vkey.split(separator: "+", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let typed = Base64.decode(parts[2]), typed.count == 33,
      typed.first == algorithm.rawValue
    else { throw .key }
    let raw = Array(typed.dropFirst())
    let key: PublicKey
    do throws(CryptoError) { key = try PublicKey(ed25519: raw.span) } catch { throw .key }
    try self.init(name: String(parts[0]), key: key, algorithm)
    guard parts[1].utf8.elementsEqual(Hex.encode(keyID.bigEndianBytes).utf8) else { throw .key }
  }

  /// Whether the signature line claims to be of this key; its signature is not verified.
  func goes(with stamp: NoteStamp) -> Bool { stamp.name == name && stamp.keyID == keyID }
}
