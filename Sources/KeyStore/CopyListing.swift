package import CryptoBackend

/// The files of a copy by their names and SHA-256, as `sha256sum *` writes them. [KS-COPY-DIGEST]
struct CopyListing: Equatable {
  private let kekNumber: Int
  private var digests: [StoreFile: Digest256] = [:]

  /// - Parameter kekNumber: as the names of files have it.
  init(under kekNumber: Int) { self.kekNumber = kekNumber }

  subscript(file: StoreFile) -> Digest256? {
    get { digests[file] }
    set { digests[file] = newValue }
  }

  /// Names are of digits, letters and periods, so this is what `LC_ALL=C sha256sum * | sha256sum` gives in the copy's directory.
  var digest: Digest256 {
    let lines = digests.map { (name: $0.name(under: kekNumber), digest: $1) }.sorted { $0.name < $1.name }.map { "\($0.digest.hex)  \($0.name)\n" }
    return SHA256.hash(Array(lines.joined().utf8))
  }
}

extension StoreDirectory {
  /// Reads those of `files` that are there.
  func listing(of files: [StoreFile]) throws(KeyStoreError) -> CopyListing {
    var listing = CopyListing(under: kekNumber)
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
