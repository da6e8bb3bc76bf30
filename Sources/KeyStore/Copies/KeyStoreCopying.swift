package import Crypto
import Host

extension KeyStore {
  /// Copies the whole store into the new directory `parent/name`, then reads the copy back and
  /// unwraps all of its keys. [KS-COPY]
  ///
  /// No key changes meanwhile, but requests are served. The manifest is written last, so an
  /// interrupted copy has none.
  /// - Throws: `KeyStoreError.present` before anything is written; `.changedOnDisk`; `.otherCopy`,
  ///   `.manifestAuthentication` or `.key` if the copy differs from what was written; `.storage`.
  package func copy(to name: String, in parent: String) throws(KeyStoreError) -> CopyFacts {
    try copy(in: parent, taken: []) { _ in name }.facts
  }

  /// Likewise, into a directory whose name depends on the manifest's generation; if there is one,
  /// with a number behind it.
  package func copy(in parent: String, named name: (Int64) -> String) throws(KeyStoreError) -> (
    name: String, facts: CopyFacts
  ) {
    let taken = try onDisk(directory.disk.list(parent))
    return try copy(in: parent, taken: Set(taken), name)
  }

  /// - Parameter taken: names that are not used.
  private func copy(
    in parent: String, taken: Set<String>, _ name: (Int64) -> String
  ) throws(KeyStoreError) -> (name: String, facts: CopyFacts) {
    changing.lock()
    defer { changing.unlock() }
    let source = table.value
    let wanted = name(source.manifest.generation)
    let name =
      ([wanted] + (2...99).map { "\(wanted)-\($0)" }).first { !taken.contains($0) } ?? wanted
    try checkManifest(of: source)
    let copy = try StoreDirectory(new: name, in: parent, on: directory.disk).under(
      directory.kekNumber)
    var written = CopyListing(under: directory.kekNumber)
    for file in source.manifest.copied where file != .manifest {
      guard let bytes = try settled(file) else { continue }
      try copy.add(file, bytes)
      written[file] = SHA256.hash(bytes)
    }
    try copy.sync()
    try copy.write(.manifest, source.file.serialised)
    written[.manifest] = SHA256.hash(source.file.serialised)
    try verify(copy, written)
    return (name, CopyFacts(written, source.manifest))
  }

  /// A file as it is between two changes; nil if it does not exist.
  private func settled(_ file: StoreFile) throws(KeyStoreError) -> [UInt8]? {
    guard case .ledger(let id) = file else { return try directory.read(file) }
    return try ledgers.betweenChanges(of: id) { () throws(KeyStoreError) in try directory.read(file)
    }
  }

  private func verify(_ copy: StoreDirectory, _ written: CopyListing) throws(KeyStoreError) {
    let file = try copy.readManifest()
    guard try copy.listing(of: file.manifest.copied) == written,
      try copy.strays(beside: file.manifest.copied).isEmpty
    else { throw .otherCopy }
    do throws(CryptoError) {
      guard try keys.authenticate(file) else { throw .authenticationFailed }
    } catch {
      throw error == .authenticationFailed ? .manifestAuthentication : .crypto(error)
    }
    _ = try KeyTable(file, try copy.slots(of: file.manifest, keys))
  }
}

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

  /// Equals `LC_ALL=C sha256sum * | sha256sum` in the copy's directory, since names consist of
  /// digits, letters and periods.
  var digest: Digest256 {
    let lines = digests.map { (name: $0.name(under: kekNumber), digest: $1) }.sorted {
      $0.name < $1.name
    }.map { "\($0.digest.hex)  \($0.name)\n" }
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
  /// The first record of the log that restoring the copy needs: all from this one on must be there.
  /// [KS-RESTORE-STATE]
  package let needs: UInt64

  package init(_ listing: CopyListing, _ manifest: Manifest) {
    digest = listing.digest
    generation = manifest.generation
    needs = manifest.readFrom
    keys = manifest.keys.count { $0.state != .destroyed }
  }
}
