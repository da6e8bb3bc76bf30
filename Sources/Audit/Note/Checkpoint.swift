internal import CryptoBackend
internal import Encoding

/// A tree head as a log signs it (C2SP tlog-checkpoint): three lines, no extension lines.
package struct Checkpoint: Equatable, Sendable {
  package let origin: String
  package let head: TreeHead

  package init(origin: String, head: TreeHead) { (self.origin, self.head) = (origin, head) }

  /// The text that is signed, with its final newline.
  package var text: [UInt8] { Array("\(origin)\n\(head.size)\n\(Base64.encode(head.root.span))\n".utf8) }

  package func signed(by signer: NoteSigner) throws(NoteError) -> [UInt8] { try signer.sign(text) }
}

/// A checkpoint with the one signature line of its log, parsed but not yet believed.
package struct SignedCheckpoint: Equatable, Sendable {
  package let checkpoint: Checkpoint
  package let signerName: String
  package let keyID: UInt32
  /// 64 bytes.
  package let signature: [UInt8]

  /// The longest note that is looked at, in bytes.
  package static let byteLimit = 1024

  /// Parses exactly one note: origin, size, root, empty line, one signature line, nothing else.
  ///
  /// - Throws: `NoteError.format`.
  package init(parsing note: Span<UInt8>) throws(NoteError) {
    guard note.count <= Self.byteLimit, let text = String(validating: note.array, as: UTF8.self) else { throw .format }
    // Not by `Character`: a combining mark behind a newline would hide it.
    let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { Substring($0) }
    guard lines.count == 6, lines[3].isEmpty, lines[5].isEmpty,
      let size = UInt64(lines[1]), lines[1].utf8.elementsEqual(String(size).utf8),
      let rootBytes = Base64.decode(lines[2]), let root = Digest256(rootBytes),
      NoteName.isValid(lines[0])
    else { throw .format }
    checkpoint = Checkpoint(origin: String(lines[0]), head: TreeHead(size: size, root: root))

    let words = lines[4].utf8.split(separator: 0x20, omittingEmptySubsequences: false).map { Substring($0) }
    guard words.count == 3, words[0] == "\u{2014}", NoteName.isValid(words[1]),
      let stamp = Base64.decode(words[2]), stamp.count == 68
    else { throw .format }
    signerName = String(words[1])
    keyID = stamp.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    signature = Array(stamp.dropFirst(4))
  }

  /// The tree head, if the log signed it.
  ///
  /// - Throws: `NoteError.signer` for another log's name or key, `.signature` for a bad signature.
  package func head(signedBy verifier: NoteVerifier) throws(NoteError) -> TreeHead {
    try checkSigner(verifier)
    guard verifier.verify(signature.span, over: checkpoint.text.span) else { throw .signature }
    return checkpoint.head
  }

  func checkSigner(_ verifier: NoteVerifier) throws(NoteError) {
    guard checkpoint.origin == verifier.name, signerName == verifier.name, keyID == verifier.keyID else { throw .signer }
  }
}

extension Span<UInt8> {
  fileprivate var array: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for i in indices { bytes.append(self[i]) }
    return bytes
  }
}
