package import CryptoBackend
package import Encoding
internal import SecretMemory
package import Wire

/// `restored.json`: says that a store came from a copy, and from which. [KS-RESTORE-MARK]
///
/// It is written before every other file, so that an interrupted restore is recognised. It has no MAC then, since restoring needs no key: the
/// first unlock compares it with the files, and from then on the store's MAC authenticates it.
package struct RestoredMark: Hashable, Sendable {
  package let digest: Digest256
  package let generation: Int64
  package let time: Timestamp
  /// SHA-256 of the copy's ledgers; the store may have different ones.
  let ledgers: [KeyID: Digest256]
  /// How many records the log had that was lost with the old store, as the copy knows; nil if the log was there, or before the mark is accepted.
  package private(set) var lost: UInt64?
  /// Under the store's key; set once the files were found to be the copy's.
  private var mac: Digest256?

  private static let format = "kist-restored/v1"

  package init(_ copy: CopyFacts, ledgers: [KeyID: Digest256], at time: Timestamp) {
    (digest, generation, self.ledgers, self.time) = (copy.digest, copy.generation, ledgers, time)
  }

  package var serialised: [UInt8] { CanonicalJSON.object(members + (mac.map { [.init("hmac", .string($0.hex))] } ?? [])).serialised }

  /// All members except the MAC.
  private var members: [CanonicalJSON.Member] {
    let ledgers = ledgers.sorted { $0.key < $1.key }.map { id, digest in
      CanonicalJSON.object([.init("key", .string(id.hex)), .init("sha256", .string(digest.hex))])
    }
    return [
      .init("digest", .string(digest.hex)), .init("format", .string(Self.format)), .init("generation", .integer(generation)),
      .init("ledgers", .array(ledgers)),
    ] + (lost.map { [.init("lost", .integer(Int64(clamping: $0)))] } ?? []) + [.init("time", .string(time.description))]
  }

  /// - Throws: `KeyStoreError.restoredMark`.
  init(parsing text: [UInt8]) throws(KeyStoreError) {
    do throws(CanonicalJSONError) {
      var fields = try CanonicalJSONFields(try CanonicalJSON(parsing: text.span, byteLimit: StoreFile.restored.limit))
      guard try fields.string("format") == Self.format, let digest = Digest256(hex: try fields.string("digest")),
        let time = Timestamp(try fields.string("time"))
      else { throw .schema }
      (self.digest, self.time) = (digest, time)
      generation = try fields.integer("generation")
      ledgers = try Self.ledgers(try fields.array("ledgers"))
      lost = try fields.optionalInteger("lost").map { UInt64(clamping: $0) }
      if let text = try fields.optionalString("hmac") {
        guard let mac = Digest256(hex: text) else { throw .schema }
        self.mac = mac
      }
      try fields.end()
    } catch { throw .restoredMark }
    guard serialised == text else { throw .restoredMark }
  }

  private static func ledgers(_ elements: [CanonicalJSON]) throws(CanonicalJSONError) -> [KeyID: Digest256] {
    var ledgers: [KeyID: Digest256] = [:]
    for element in elements {
      var fields = try CanonicalJSONFields(element)
      guard let id = KeyID(hex: try fields.string("key")), let digest = Digest256(hex: try fields.string("sha256")) else { throw .schema }
      try fields.end()
      ledgers[id] = digest
    }
    return ledgers
  }

  /// HMAC-SHA-256 of the mark without its MAC.
  fileprivate func authenticator(_ keys: borrowing StoreKeys) throws(KeyStoreError) -> Digest256 {
    // The key may be the manifest's, because no manifest can be mistaken for a mark.
    let text = CanonicalJSON.object(members).serialised
    do throws(CryptoError) { return try HMACSHA256.authenticate(key: keys.manifest.bytes, text.span) } catch { throw .crypto(error) }
  }

  /// Whether the mark's MAC was made with these keys.
  fileprivate func isAuthentic(_ keys: borrowing StoreKeys) throws(KeyStoreError) -> Bool {
    guard let mac else { return false }
    let expected = try authenticator(keys)
    return ConstantTime.equal(expected.span, mac.span)
  }

  /// The mark with a MAC made with these keys.
  fileprivate func accepted(_ keys: borrowing StoreKeys, lost: UInt64?) throws(KeyStoreError) -> RestoredMark {
    var accepted = self
    accepted.lost = lost
    accepted.mac = try accepted.authenticator(keys)
    return accepted
  }
}

extension KeyStore {
  /// The copy that the store came from; nil if it came from none, or once the audit log has recorded it.
  ///
  /// - Throws: `KeyStoreError.restoredMark`, `.storage`.
  package func restoredMark() throws(KeyStoreError) -> RestoredMark? {
    guard let text = try directory.read(.restored) else { return nil }
    return try RestoredMark(parsing: text)
  }

  /// Whether this store has already verified the mark.
  package func isAccepted(_ mark: RestoredMark) throws(KeyStoreError) -> Bool { try mark.isAuthentic(keys) }

  /// Whether the files, except ledgers, are those of the copy that the mark names.
  package func matches(_ mark: RestoredMark) throws(KeyStoreError) -> Bool {
    let manifest = table.value.manifest
    var listing = try directory.listing(of: manifest.copied.filter { !$0.isLedger })
    for (id, digest) in mark.ledgers { listing[.ledger(id)] = digest }
    return listing.digest == mark.digest && manifest.generation == mark.generation
  }

  /// Authenticates the mark with the store's MAC: from now on the files may change.
  ///
  /// - Parameter lost: how many records the log had that was lost with the old store, as the copy knows; nil if the log is there.
  package func accept(_ mark: RestoredMark, lost: UInt64? = nil) throws(KeyStoreError) {
    try directory.write(.restored, mark.accepted(keys, lost: lost).serialised)
  }

  /// Removes the mark, once the audit log has recorded it.
  package func removeRestoredMark() throws(KeyStoreError) { try directory.remove(.restored) }
}
