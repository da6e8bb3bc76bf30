package import Crypto
package import Format

/// `restored.json`: says that a store came from a copy, and from which. [KS-RESTORE-MARK]
///
/// It is written before every other file, so that an interrupted restore is recognised. It has no
/// MAC, since restoring needs no key: whoever unlocks the store compares it with the files, and the
/// manifest then says so, under the store's MAC, in its place.
package struct RestoredMark: Hashable, Sendable {
  package let digest: Digest256
  package let generation: Int64
  package let time: Timestamp
  /// SHA-256 of the copy's ledgers; the store may have different ones.
  let ledgers: [KeyID: Digest256]

  private static let format = "kist-restored/v1"

  package init(_ copy: CopyFacts, ledgers: [KeyID: Digest256], at time: Timestamp) {
    digest = copy.digest
    generation = copy.generation
    self.ledgers = ledgers
    self.time = time
  }

  package var serialised: [UInt8] {
    let ledgers = ledgers.sorted { $0.key < $1.key }.map { id, digest -> CanonicalJSON in
      ["key": id.hex, "sha256": digest.hex]
    }
    let mark: CanonicalJSON = [
      "digest": digest.hex, "format": Self.format, "generation": generation, "ledgers": ledgers,
      "time": time.description,
    ]
    return mark.serialised
  }

  /// - Throws: `KeyStoreError.restoredMark`.
  init(parsing text: [UInt8]) throws(KeyStoreError) {
    do throws(CanonicalJSONError) {
      var fields = try CanonicalJSONFields(
        try CanonicalJSON(parsing: text.span, byteLimit: StoreFile.restored.limit))
      guard try fields.string("format") == Self.format else { throw .schema }
      digest = try fields.string("digest", as: Digest256.init(hex:))
      time = try fields.string("time", as: Timestamp.init(_:))
      generation = try fields.integer("generation")
      ledgers = try Self.ledgers(try fields.array("ledgers"))
      try fields.end()
    } catch { throw .restoredMark }
    guard serialised == text else { throw .restoredMark }
  }

  private static func ledgers(_ elements: [CanonicalJSON]) throws(CanonicalJSONError) -> [KeyID:
    Digest256]
  {
    var ledgers: [KeyID: Digest256] = [:]
    for element in elements {
      var fields = try CanonicalJSONFields(element)
      let id = try fields.string("key", as: KeyID.init(hex:))
      ledgers[id] = try fields.string("sha256", as: Digest256.init(hex:))
      try fields.end()
    }
    return ledgers
  }
}

/// The copy that a store came from, as its manifest says until a daemon has recorded it.
/// [KS-RESTORE-MARK]
package struct RestoredCopy: Hashable, Sendable {
  package let digest: Digest256
  package let generation: Int64
  /// How many records the log had that was lost with the old store, as the copy knows; nil if the
  /// log is there.
  package var lost: UInt64?

  package init(_ mark: RestoredMark) {
    digest = mark.digest
    generation = mark.generation
  }

  var json: CanonicalJSON {
    [
      "digest": digest.hex, "generation": generation, "lost": lost,
    ]
  }

  init(_ json: CanonicalJSON) throws(CanonicalJSONError) {
    var fields = try CanonicalJSONFields(json)
    digest = try fields.string("digest", as: Digest256.init(hex:))
    generation = try fields.integer("generation")
    lost = try fields.optionalInteger("lost").map { UInt64(clamping: $0) }
    try fields.end()
  }
}

extension StoreDirectory {
  /// The mark of a copy that the manifest does not name yet; one that it names is removed.
  ///
  /// - Throws: `KeyStoreError.restoredMark`, `.storage`.
  func unacceptedMark(_ manifest: Manifest) throws(KeyStoreError) -> RestoredMark? {
    guard let text = try read(.restored) else { return nil }
    let mark = try RestoredMark(parsing: text)
    guard mark.digest == manifest.restored?.digest else { return mark }
    try remove(.restored)
    return nil
  }
}

extension KeyStore {
  /// The mark of the copy that the store came from, if nobody has compared its files with it; until
  /// then nothing may change.
  package var restoredMark: RestoredMark? { unaccepted.value }

  /// The copy that the store came from, whose mark was accepted; nil once the audit log has
  /// recorded it.
  package var restored: RestoredCopy? { table.value.manifest.restored }

  /// Whether the files, except ledgers, are those of the copy that the mark names.
  package func matches(_ mark: RestoredMark) throws(KeyStoreError) -> Bool {
    let manifest = table.value.manifest
    var listing = try directory.listing(of: manifest.copied.filter { !$0.isLedger })
    for (id, digest) in mark.ledgers { listing[.ledger(id)] = digest }
    return listing.digest == mark.digest && manifest.generation == mark.generation
  }

  /// Has the manifest name the copy, in place of the mark: from now on the files may change.
  package func accept(_ copy: RestoredCopy) throws(KeyStoreError) {
    try change(anchor, accepts: true) { (manifest, _) in
      manifest.restored = copy
      if let ceremony = ceremony.value {
        manifest.note([.restored(copy.digest)], .ceremony(ceremony))
      }
    }
    unaccepted.change { $0 = nil }
    try directory.remove(.restored)
  }
}
