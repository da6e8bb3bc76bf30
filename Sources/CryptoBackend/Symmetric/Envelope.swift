package import SecretMemory

/// The sealed form of everything that leaves Kist under a stored AES-256 key, for Kist to open again.
///
/// `u8 version ‖ 16 B key id ‖ 12 B nonce ‖ ciphertext ‖ 16 B tag`. The first 29 bytes are part of the associated data,
/// in front of the caller's own. A rotated key is another key with another id, so the id names the key's version, too
/// [OP-SEAL-2].
package struct Envelope: ~Escapable {
  package static let version: UInt8 = 1
  package static let keyIDSize = 16
  package static let nonceSize = 12
  package static let headerSize = 1 + keyIDSize + nonceSize
  /// How much longer an envelope is than what it holds.
  package static let overhead = headerSize + AESGCM.tagSize

  private let bytes: Span<UInt8>

  /// Looks at an envelope; nothing in it is believed before `open`.
  ///
  /// - Throws: `invalidInput` where it is too short or of another version.
  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>) throws(CryptoError) {
    guard bytes.count >= Self.overhead, bytes[0] == Self.version else { throw .invalidInput }
    self.bytes = bytes
  }

  /// The id of the key that sealed it, 16 bytes.
  package var keyID: Span<UInt8> {
    @_lifetime(copy self)
    get { bytes.extracting(1..<1 + Self.keyIDSize) }
  }

  /// Seals under a nonce drawn for the purpose; the caller counts a key's envelopes, of which there must be at most 2³².
  ///
  /// - Parameters:
  ///   - key: 32 bytes.
  ///   - id: 16 bytes, zero for a key that has no id.
  package static func seal(
    _ plaintext: Span<UInt8>, key: Span<UInt8>, id: Span<UInt8>, associatedData: Span<UInt8>
  ) throws(CryptoError) -> [UInt8] {
    guard key.count == 32, id.count == keyIDSize else { throw .invalidInput }
    let nonce = try Random.bytes(nonceSize)
    let header = [version] + id.array + nonce
    let sealed = try AESGCM.seal(key: key, iv: nonce.span, plaintext: plaintext, aad: (header + associatedData.array).span)
    return header + sealed
  }

  /// Opens it under `key`, 32 bytes.
  ///
  /// - Throws: `authenticationFailed` where key, header, associated data or contents are not those it was sealed with.
  package func open(key: Span<UInt8>, associatedData: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    guard key.count == 32 else { throw .invalidInput }
    let header = bytes.extracting(first: Self.headerSize)
    let tagged = bytes.extracting(droppingFirst: Self.headerSize)
    return try AESGCM.open(
      key: key, iv: header.extracting(last: Self.nonceSize), ciphertext: tagged.extracting(droppingLast: AESGCM.tagSize),
      tag: tagged.extracting(last: AESGCM.tagSize), aad: (header.array + associatedData.array).span)
  }
}
