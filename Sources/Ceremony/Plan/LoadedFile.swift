package import Crypto
internal import Format

/// A file that code is loaded from: the program, or a library that it uses.
package struct LoadedFile: Hashable, Sendable {
  package let path: String
  /// SHA-256; nil where it cannot be read.
  package let digest: Digest256?

  package init(path: String, digest: Digest256?) { (self.path, self.digest) = (path, digest) }

  /// From a line of `sha256sum`: 64 digits, two blanks and an absolute path.
  package init?(line: String) {
    let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[1].isEmpty, let digest = Digest256(hex: String(parts[0])), digest.hex == parts[0], parts[2].hasPrefix("/"),
      Printable.isLine(line), line.utf8.count <= 512
    else { return nil }
    self.init(path: String(parts[2]), digest: digest)
  }

  /// As the record and the script have it.
  package var value: String { digest?.hex ?? "cannot be read" }
}
