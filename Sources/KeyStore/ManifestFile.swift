internal import CryptoBackend
internal import Encoding

/// `manifest.json`: the manifest and the HMAC-SHA256 over its canonical text. [KS-MANIFEST-FORM] [KS-MANIFEST-MAC]
struct ManifestFile: Sendable {
  let manifest: Manifest
  private let mac: Digest256

  init(_ manifest: Manifest, key: Span<UInt8>) throws(CryptoError) {
    self.manifest = manifest
    mac = try HMACSHA256.authenticate(key: key, manifest.json.serialised.span)
  }

  /// Nothing in it can be believed before `isAuthentic`.
  ///
  /// - Throws: `KeyStoreError.manifestForm` for text that is not exactly what `serialised` would give.
  init(parsing text: [UInt8]) throws(KeyStoreError) {
    do throws(CanonicalJSONError) {
      var fields = try CanonicalJSONFields(try CanonicalJSON(parsing: text.span, byteLimit: StoreFile.manifest.limit))
      guard let mac = Digest256(hex: try fields.string("hmac")) else { throw .schema }
      self.mac = mac
      manifest = try Manifest(try fields.required("manifest"))
      try fields.end()
    } catch {
      throw .manifestForm
    }
    guard serialised == text else { throw .manifestForm }
  }

  func isAuthentic(key: Span<UInt8>) throws(CryptoError) -> Bool {
    try HMACSHA256.authenticate(key: key, manifest.json.serialised.span) == mac
  }

  var serialised: [UInt8] {
    CanonicalJSON.object([.init("hmac", .string(mac.hex)), .init("manifest", manifest.json)]).serialised
  }
}
