internal import CryptoBackend
internal import Encoding

/// `manifest.json`: the manifest and the HMAC-SHA256 over its canonical text. [KS-MANIFEST-FORM] [KS-MANIFEST-MAC]
struct ManifestFile: Sendable {
  let manifest: Manifest
  /// The manifest's canonical text, kept because with thousands of keys writing it is most of a change's work.
  private let text: [UInt8]
  private let mac: Digest256

  init(_ manifest: Manifest, key: Span<UInt8>) throws(CryptoError) {
    let text = manifest.json.serialised
    mac = try HMACSHA256.authenticate(key: key, text.span)
    (self.manifest, self.text) = (manifest, text)
  }

  /// Parses without authenticating: trust nothing in it before `isAuthentic`.
  ///
  /// - Throws: `KeyStoreError.manifestForm` for text that differs from what `serialised` returns.
  init(parsing file: [UInt8]) throws(KeyStoreError) {
    do throws(CanonicalJSONError) {
      var fields = try CanonicalJSONFields(try CanonicalJSON(parsing: file.span, byteLimit: StoreFile.manifest.limit))
      guard let mac = Digest256(hex: try fields.string("hmac")) else { throw .schema }
      self.mac = mac
      manifest = try Manifest(try fields.required("manifest"))
      text = manifest.json.serialised
      try fields.end()
    } catch {
      throw .manifestForm
    }
    guard serialised == file else { throw .manifestForm }
  }

  func isAuthentic(key: Span<UInt8>) throws(CryptoError) -> Bool {
    try HMACSHA256.authenticate(key: key, text.span) == mac
  }

  /// `{"hmac":"…","manifest":{…}}`
  var serialised: [UInt8] { Array(#"{"hmac":"\#(mac.hex)","manifest":"#.utf8) + text + [UInt8(ascii: "}")] }
}
