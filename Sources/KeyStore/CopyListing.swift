package import CryptoBackend

/// The files of a copy by their names and SHA-256, as `sha256sum *` writes them. [KS-COPY-DIGEST]
struct CopyListing: Equatable {
  private var digests: [String: Digest256] = [:]

  subscript(file: StoreFile) -> Digest256? {
    get { digests[file.name] }
    set { digests[file.name] = newValue }
  }

  /// Names are of digits, letters and periods, so this is what `LC_ALL=C sha256sum * | sha256sum` gives in the copy's directory.
  var digest: Digest256 {
    let lines = digests.sorted { $0.key < $1.key }.map { "\($0.value.hex)  \($0.key)\n" }
    return SHA256.hash(Array(lines.joined().utf8))
  }
}

extension StoreDirectory {
  /// Reads those of `files` that are there.
  func listing(of files: [StoreFile]) throws(KeyStoreError) -> CopyListing {
    var listing = CopyListing()
    for file in files { listing[file] = try read(file).map { SHA256.hash($0) } }
    return listing
  }
}

/// By which a copy is known to people and in records.
package struct CopyFacts: Hashable, Sendable {
  /// Over every file of the copy. [KS-COPY-DIGEST]
  package let digest: Digest256
  /// The manifest's.
  package let generation: Int64
  /// All but the destroyed ones.
  package let keys: Int

  init(_ listing: CopyListing, _ manifest: Manifest) {
    (digest, generation) = (listing.digest, manifest.generation)
    keys = manifest.keys.count { $0.state != .destroyed }
  }
}
