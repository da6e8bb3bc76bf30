internal import Crypto
internal import Format

/// An `ssh-ed25519` public key (RFC 8709 §4).
package struct SSHPublicKey: Sendable {
  /// 32 bytes.
  let raw: [UInt8]
  private let key: PublicKey

  /// Parses `ssh-ed25519 BASE64`, with or without a comment.
  package init?(_ line: String) {
    let parts = line.split(separator: " ")
    guard (2...16).contains(parts.count), parts[0] == Self.algorithm, let blob = Base64.decode(parts[1]) else { return nil }
    self.init(blob: blob)
  }

  /// From the key in SSH's wire format.
  init?(blob: [UInt8]) {
    var wire = SSHWire(blob)
    guard let name = wire.string(), name.elementsEqual(Self.algorithm.utf8), let raw = wire.string(), raw.count == 32, wire.isAtEnd,
      let key = try? PublicKey(ed25519: raw.span)
    else { return nil }
    (self.raw, self.key) = (raw, key)
  }

  /// `SHA256:` and base64 without padding, as `ssh-keygen -l` prints it.
  package var fingerprint: String {
    let blob = SSHWire.string(Array(Self.algorithm.utf8)) + SSHWire.string(raw)
    return "SHA256:" + Base64.encode(SHA256.hash(blob).bytes).prefix { $0 != "=" }
  }

  func verify(_ signature: [UInt8], over message: [UInt8]) -> Bool { key.verify(signature: signature.span, message: message.span) }

  static let algorithm = "ssh-ed25519"
}
