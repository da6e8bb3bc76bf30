import Crypto
import Format

/// A tree head as a log signs it (C2SP tlog-checkpoint): three lines, no extension lines.
package struct Checkpoint: Equatable, Sendable {
  package let origin: String
  package let head: TreeHead

  package init(origin: String, head: TreeHead) {
    self.origin = origin
    self.head = head
  }

  /// The text that is signed, with its final newline.
  package var text: [UInt8] {
    Array("\(origin)\n\(head.size)\n\(Base64.encode(head.root.span))\n".utf8)
  }

  package func signed(by signer: NoteSigner) throws(NoteError) -> [UInt8] { try signer.sign(text) }
}

/// A checkpoint with its log's one signature line, parsed but not verified.
package struct SignedCheckpoint: Equatable, Sendable {
  package let checkpoint: Checkpoint
  package let stamp: NoteStamp

  /// The longest note that is parsed, in bytes.
  package static let byteLimit = 1024

  /// Parses exactly one note: origin, size, root, empty line, one signature line, nothing else.
  ///
  /// - Throws: `NoteError.format`.
  package init(parsing note: Span<UInt8>) throws(NoteError) {
    guard note.count <= Self.byteLimit else { throw .format }
    var lines = NoteLines(note)
    checkpoint = try Checkpoint(reading: &lines)
    guard let separator = lines.next(), separator.isEmpty, let line = lines.next(), lines.isAtEnd
    else { throw .format }
    stamp = try NoteStamp(parsing: note.extracting(line))
    guard stamp.signature.count == 64 else { throw .format }
  }

  /// The tree head, if the log signed it.
  ///
  /// - Throws: `NoteError.signer` for another log's name or key, `.signature` for a bad signature.
  package func head(signedBy verifier: NoteVerifier) throws(NoteError) -> TreeHead {
    try checkSigner(verifier)
    guard verifier.verify(stamp.signature.span, over: checkpoint.text.span) else {
      throw .signature
    }
    return checkpoint.head
  }

  func checkSigner(_ verifier: NoteVerifier) throws(NoteError) {
    guard checkpoint.origin == verifier.name, stamp.name == verifier.name,
      stamp.keyID == verifier.keyID
    else { throw .signer }
  }
}

extension Checkpoint {
  /// Reads origin, size and root.
  ///
  /// - Throws: `NoteError.format`.
  package init(reading lines: inout NoteLines) throws(NoteError) {
    guard let originLine = lines.next(), let origin = NoteName.read(lines.bytes(originLine)),
      let sizeLine = lines.next(), let size = Self.size(lines.bytes(sizeLine)),
      let rootLine = lines.next(), let root = Self.root(lines.bytes(rootLine))
    else { throw .format }
    self.init(origin: origin, head: TreeHead(size: size, root: root))
  }

  /// Parses ASCII digits without a leading zero.
  package static func size(_ line: Span<UInt8>) -> UInt64? {
    line.count > 1 && line[0] == UInt8(ascii: "0") ? nil : UInt64(digits: line)
  }

  private static func root(_ line: Span<UInt8>) -> Digest256? {
    guard line.count == 44 else { return nil }
    return Base64.decode(line).flatMap { Digest256($0) }
  }
}
