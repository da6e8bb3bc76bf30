package import CryptoBackend
package import Encoding

/// `restored.json`: that a store came from a copy, and from which. [KS-RESTORE-MARK]
///
/// It is written before every other file, so that a restoring that was cut off is known for one; nothing authenticates it.
package struct RestoredMark: Hashable, Sendable {
  package let digest: Digest256
  package let generation: Int64
  package let time: Timestamp

  private static let format = "kist-restored/v1"

  init(_ copy: CopyFacts, at time: Timestamp) { (digest, generation, self.time) = (copy.digest, copy.generation, time) }

  var serialised: [UInt8] {
    CanonicalJSON.object([
      .init("digest", .string(digest.hex)), .init("format", .string(Self.format)), .init("generation", .integer(generation)),
      .init("time", .string(time.description)),
    ]).serialised
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
      try fields.end()
    } catch { throw .restoredMark }
    guard serialised == text else { throw .restoredMark }
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

  /// Takes the mark away, once it is on the record.
  package func removeRestoredMark() throws(KeyStoreError) { try directory.remove(.restored) }
}
