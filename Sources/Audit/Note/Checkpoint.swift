internal import Crypto
internal import Format

/// A tree head as a log signs it (C2SP tlog-checkpoint): three lines, no extension lines.
package struct Checkpoint: Equatable, Sendable {
  package let origin: String
  package let head: TreeHead

  package init(origin: String, head: TreeHead) { (self.origin, self.head) = (origin, head) }

  /// The text that is signed, with its final newline.
  package var text: [UInt8] { Array("\(origin)\n\(head.size)\n\(Base64.encode(head.root.span))\n".utf8) }

  package func signed(by signer: NoteSigner) throws(NoteError) -> [UInt8] { try signer.sign(text) }
}
