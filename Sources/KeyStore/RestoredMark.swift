package import CryptoBackend
package import Encoding
internal import SecretMemory
internal import Wire

/// `restored.json`: that a store came from a copy, and from which. [KS-RESTORE-MARK]
///
/// It is written before every other file, so that a restoring that was cut off is known for one. Nobody had a key then: what it says is compared
/// with the files at the first unlocking, and believed from then on by the store's MAC.
package struct RestoredMark: Hashable, Sendable {
  package let digest: Digest256
  package let generation: Int64
  package let time: Timestamp
  /// SHA-256 of the copy's ledgers, which the store may have others of.
  let ledgers: [KeyID: Digest256]
  /// Under the store's key, once the files were found to be those of the copy.
  private var mac: Digest256?

  private static let format = "kist-restored/v1"

  init(_ copy: CopyFacts, ledgers: [KeyID: Digest256], at time: Timestamp) {
    (digest, generation, self.ledgers, self.time) = (copy.digest, copy.generation, ledgers, time)
  }

  var serialised: [UInt8] { CanonicalJSON.object(members + (mac.map { [.init("hmac", .string($0.hex))] } ?? [])).serialised }

  /// Without the MAC.
  private var members: [CanonicalJSON.Member] {
    let ledgers = ledgers.sorted { $0.key < $1.key }.map { id, digest in
      CanonicalJSON.object([.init("key", .string(id.hex)), .init("sha256", .string(digest.hex))])
    }
    return [
      .init("digest", .string(digest.hex)), .init("format", .string(Self.format)), .init("generation", .integer(generation)),
      .init("ledgers", .array(ledgers)), .init("time", .string(time.description)),
    ]
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
    // No manifest reads like a mark, so they may have a key in common.
    let text = CanonicalJSON.object(members).serialised
    do throws(CryptoError) { return try HMACSHA256.authenticate(key: keys.manifest.bytes, text.span) } catch { throw .crypto(error) }
  }

  /// Whether the mark's MAC is that of a store with these keys.
  fileprivate func isAuthentic(_ keys: borrowing StoreKeys) throws(KeyStoreError) -> Bool {
    guard let mac else { return false }
    let expected = try authenticator(keys)
    return ConstantTime.equal(expected.span, mac.span)
  }

  /// The mark with the MAC of a store with these keys.
  fileprivate func accepted(_ keys: borrowing StoreKeys) throws(KeyStoreError) -> RestoredMark {
    var accepted = self
    accepted.mac = try authenticator(keys)
    return accepted
  }
}

extension KeyStore {
  /// From which copy the store came; nil once that is on the record, and for a store that came from none.
  ///
  /// - Throws: `KeyStoreError.restoredMark`, `.storage`.
  package func restoredMark() throws(KeyStoreError) -> RestoredMark? {
    guard let text = try directory.read(.restored) else { return nil }
    return try RestoredMark(parsing: text)
  }

  /// Whether the store found this mark to be true before.
  package func isAccepted(_ mark: RestoredMark) throws(KeyStoreError) -> Bool { try mark.isAuthentic(keys) }

  /// Whether the files, ledgers apart, are those of the copy that the mark names.
  package func matches(_ mark: RestoredMark) throws(KeyStoreError) -> Bool {
    let manifest = table.value.manifest
    var listing = try directory.listing(of: manifest.copied.filter { !$0.isLedger })
    for (id, digest) in mark.ledgers { listing[.ledger(id)] = digest }
    return listing.digest == mark.digest && manifest.generation == mark.generation
  }

  /// Puts the mark under the store's MAC: the files may change from now on.
  package func accept(_ mark: RestoredMark) throws(KeyStoreError) { try directory.write(.restored, mark.accepted(keys).serialised) }

  /// Takes the mark away, once it is on the record.
  package func removeRestoredMark() throws(KeyStoreError) { try directory.remove(.restored) }
}
