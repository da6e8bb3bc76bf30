package import Crypto

/// The names and SHA-256 of a copy's files, as `sha256sum *` lists them. [KS-COPY-DIGEST]
package struct CopyListing: Equatable {
  private let kekNumber: Int
  private var digests: [StoreFile: Digest256] = [:]

  /// - Parameter kekNumber: the KEK's number, which is part of file names.
  init(under kekNumber: Int) { self.kekNumber = kekNumber }

  package subscript(file: StoreFile) -> Digest256? {
    get { digests[file] }
    set { digests[file] = newValue }
  }

  /// Equals `LC_ALL=C sha256sum * | sha256sum` in the copy's directory, since names consist of digits, letters and periods.
  var digest: Digest256 {
    let lines = digests.map { (name: $0.name(under: kekNumber), digest: $1) }.sorted { $0.name < $1.name }.map { "\($0.digest.hex)  \($0.name)\n" }
    return SHA256.hash(Array(lines.joined().utf8))
  }
}

extension StoreDirectory {
  /// Hashes those of `files` that exist.
  package func listing(of files: [StoreFile]) throws(KeyStoreError) -> CopyListing {
    var listing = CopyListing(under: kekNumber)
    for file in files { listing[file] = try read(file).map { SHA256.hash($0) } }
    return listing
  }
}

/// What identifies a copy to people and in records.
package struct CopyFacts: Hashable, Sendable {
  /// The digest over every file of the copy. [KS-COPY-DIGEST]
  package let digest: Digest256
  /// The generation of its manifest.
  package let generation: Int64
  /// The number of keys in it, without the destroyed ones.
  package let keys: Int
  /// The first record of the log that restoring the copy needs: all from this one on must be there. [KS-RESTORE-STATE]
  package let needs: UInt64

  package init(_ listing: CopyListing, _ manifest: Manifest) {
    (digest, generation) = (listing.digest, manifest.generation)
    needs = manifest.readFrom
    keys = manifest.keys.count { $0.state != .destroyed }
  }
}
