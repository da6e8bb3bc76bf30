internal import Audit
internal import Crypto
internal import Format

/// The common parts of the proofs' text forms.
enum ProofText {
  /// One hash in base64 on each line.
  static func hashes(_ path: [Digest256]) -> [UInt8] { path.flatMap { Array((Base64.encode($0.span) + "\n").utf8) } }

  /// At most 63 hashes, and the empty line after them.
  static func readHashes(_ lines: inout NoteLines) throws(NoteError) -> [Digest256] {
    var path: [Digest256] = []
    while let line = lines.next() {
      if line.isEmpty { return path }
      guard path.count < 63, let bytes = Base64.decode(lines.bytes(line)), let hash = Digest256(bytes) else { throw .format }
      path.append(hash)
    }
    throw .format
  }
}

extension Span<UInt8> {
  /// What follows a line's keyword.
  func value(of keyword: String) -> [UInt8]? {
    let line = array
    return line.starts(with: keyword.utf8) ? Array(line.dropFirst(keyword.utf8.count)) : nil
  }
}
