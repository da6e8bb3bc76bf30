import Crypto
import Format

/// `manifest.json`: the manifest and the HMAC-SHA256 over its canonical text. [KS-MANIFEST-FORM]
/// [KS-MANIFEST-MAC]
package struct ManifestFile: Sendable {
  package let manifest: Manifest
  /// `{"hmac":"…","manifest":{…}}`
  package let serialised: [UInt8]
  /// Where the texts of the manifest's entries are in it.
  fileprivate let entries: [Range<Int>]
  private let mac: Digest256

  /// Where the HMAC's digits begin, and where the text that it covers.
  private static let (digits, covered) = (
    #"{"hmac":""#.utf8.count, #"{"hmac":"","manifest":"#.utf8.count + 64
  )

  /// - Parameter earlier: what the store has; the entries that are in it stay as they are written
  ///   there.
  init(_ manifest: Manifest, after earlier: ManifestFile? = nil, key: Span<UInt8>)
    throws(CryptoError)
  {
    // Written in one place, since a large store has megabytes of it.
    var (text, entries) = manifest.text(under: .zero, after: earlier)
    mac = try Self.authenticator(of: text, key)
    var digits = text.mutableSpan
    Hex.write(mac.span, into: &digits, at: Self.digits)
    self.manifest = manifest
    serialised = text
    self.entries = entries
  }

  /// Parses without authenticating: trust nothing in it before `isAuthentic`.
  ///
  /// - Throws: `KeyStoreError.manifestForm` for text that differs from what `serialised` returns.
  init(parsing file: [UInt8]) throws(KeyStoreError) {
    do throws(CanonicalJSONError) {
      var fields = try CanonicalJSONFields(
        try CanonicalJSON(parsing: file.span, byteLimit: StoreFile.manifest.limit))
      mac = try fields.string("hmac", as: Digest256.init(hex:))
      manifest = try Manifest(try fields.required("manifest"))
      (serialised, entries) = manifest.text(under: mac)
      try fields.end()
    } catch {
      throw .manifestForm
    }
    guard serialised == file else { throw .manifestForm }
  }

  func isAuthentic(key: Span<UInt8>) throws(CryptoError) -> Bool {
    try Self.authenticator(of: serialised, key) == mac
  }

  private static func authenticator(of text: [UInt8], _ key: Span<UInt8>) throws(CryptoError)
    -> Digest256
  {
    try HMACSHA256.authenticate(key: key, text.span.extracting(covered..<text.count - 1))
  }
}

extension Manifest {
  /// The text of its file, and where the entries are in it.
  fileprivate func text(under mac: Digest256, after earlier: ManifestFile? = nil) -> (
    text: [UInt8], entries: [Range<Int>]
  ) {
    var writer = CanonicalJSONWriter(capacity: 4096 + (earlier?.serialised.count ?? 0))
    var places: [Range<Int>] = []
    writer.object { writer in
      writer.member("hmac", hex: mac.span)
      writer.name("manifest")
      write(into: &writer) { writer in places = writeEntries(into: &writer, after: earlier) }
    }
    return (writer.bytes, places)
  }

  /// Writes the elements of `keys`; those that follow one another in an earlier file are copied
  /// from it together.
  private func writeEntries(into writer: inout CanonicalJSONWriter, after earlier: ManifestFile?)
    -> [Range<Int>]
  {
    var places: [Range<Int>] = []
    places.reserveCapacity(entries.count)
    let known = earlier?.manifest.kekNumber == kekNumber ? earlier?.manifest.entries ?? [] : []
    var place = 0
    while places.count < entries.count {
      let entry = entries[places.count]
      while place < known.count, known[place].record.id < entry.record.id { place += 1 }
      if let earlier, let run = Self.run(of: entries[places.count...], in: known[place...]) {
        let first = earlier.entries[place]
        let last = earlier.entries[place + run - 1]
        writer.written(earlier.serialised[first.lowerBound..<last.upperBound])
        let shift = writer.bytes.count - last.upperBound
        places += earlier.entries[place..<place + run].lazy.map {
          $0.lowerBound + shift..<$0.upperBound + shift
        }
        place += run
      } else {
        let text = entry.record.json(under: kekNumber).serialised
        writer.written(text[...])
        places.append(writer.bytes.count - text.count..<writer.bytes.count)
      }
    }
    return places
  }

  /// How many entries from the first on are the same in both; nil if none is.
  private static func run(
    of entries: ArraySlice<ManifestEntry>, in known: ArraySlice<ManifestEntry>
  ) -> Int? {
    let limit = min(entries.count, known.count)
    var count = 0
    while count < limit, entries[entries.startIndex + count] === known[known.startIndex + count] {
      count += 1
    }
    return count > 0 ? count : nil
  }
}
