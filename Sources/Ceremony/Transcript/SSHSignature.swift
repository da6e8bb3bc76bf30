import Crypto
import Format

/// A detached signature as `ssh-keygen -Y sign` writes it (PROTOCOL.sshsig), with an Ed25519 key.
package struct SSHSignature: Sendable {
  private let key: SSHPublicKey
  private let namespace: [UInt8]
  private let reserved: [UInt8]
  private let hashName: [UInt8]
  private let hash: HashAlgorithm
  /// 64 bytes.
  private let signature: [UInt8]

  /// The namespace that a witness's signature must name, so that a signature made for another
  /// purpose is refused.
  package static let namespace = "ceremony"
  /// The size of the longest file that is read, in bytes.
  package static let byteLimit = 4096

  /// Parses the armoured form: exactly one signature, nothing before or after it.
  package init?(armoured text: [UInt8]) {
    guard text.count <= Self.byteLimit else { return nil }
    let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
    guard lines.count >= 4, lines[0].elementsEqual(Self.begin.utf8), lines[lines.count - 1].isEmpty,
      lines[lines.count - 2].elementsEqual(Self.end.utf8)
    else { return nil }
    let encoded = lines[1..<lines.count - 2].reduce(into: [UInt8]()) { $0 += $1 }
    guard let blob = Base64.decode(encoded.span) else { return nil }
    self.init(blob: blob)
  }

  /// Whether `signer` made it for a ceremony, over `message`.
  package func isTrue(of message: [UInt8], by signer: SSHPublicKey) -> Bool {
    guard key.raw == signer.raw, namespace.elementsEqual(Self.namespace.utf8),
      let digest = try? hash.hash(message.span)
    else { return false }
    let signed =
      Self.magic + SSHWire.string(namespace) + SSHWire.string(reserved) + SSHWire.string(hashName)
      + SSHWire.string(digest)
    return key.verify(signature, over: signed)
  }
}

extension SSHSignature {
  private static let (begin, end) = ("-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----")
  private static let magic = Array("SSHSIG".utf8)

  private init?(blob: [UInt8]) {
    var wire = SSHWire(blob)
    guard wire.take(Self.magic.count) == Self.magic, wire.number() == 1,
      let key = wire.string().flatMap(SSHPublicKey.init(blob:)),
      let namespace = wire.string(), let reserved = wire.string(), let hashName = wire.string(),
      let signature = wire.string(), wire.isAtEnd
    else { return nil }
    switch String(decoding: hashName, as: UTF8.self) {
    case "sha256": hash = .sha256
    case "sha512": hash = .sha512
    default: return nil
    }
    var inner = SSHWire(signature)
    guard let algorithm = inner.string(), algorithm.elementsEqual(SSHPublicKey.algorithm.utf8),
      let raw = inner.string(), raw.count == 64, inner.isAtEnd
    else { return nil }
    self.key = key
    self.namespace = namespace
    self.reserved = reserved
    self.hashName = hashName
    self.signature = raw
  }
}

/// An `ssh-ed25519` public key (RFC 8709 §4).
package struct SSHPublicKey: Sendable {
  /// 32 bytes.
  let raw: [UInt8]
  private let key: PublicKey

  /// Parses `ssh-ed25519 BASE64`, with or without a comment.
  package init?(_ line: String) {
    let parts = line.split(separator: " ")
    guard (2...16).contains(parts.count), parts[0] == Self.algorithm,
      let blob = Base64.decode(parts[1])
    else { return nil }
    self.init(blob: blob)
  }

  /// From the key in SSH's wire format.
  init?(blob: [UInt8]) {
    var wire = SSHWire(blob)
    guard let name = wire.string(), name.elementsEqual(Self.algorithm.utf8),
      let raw = wire.string(), raw.count == 32, wire.isAtEnd,
      let key = try? PublicKey(ed25519: raw.span)
    else { return nil }
    self.raw = raw
    self.key = key
  }

  /// `SHA256:` and base64 without padding, as `ssh-keygen -l` prints it.
  package var fingerprint: String {
    let blob = SSHWire.string(Array(Self.algorithm.utf8)) + SSHWire.string(raw)
    return "SHA256:" + Base64.encode(SHA256.hash(blob).bytes).prefix { $0 != "=" }
  }

  func verify(_ signature: [UInt8], over message: [UInt8]) -> Bool {
    key.verify(signature: signature.span, message: message.span)
  }

  static let algorithm = "ssh-ed25519"
}

/// Reads the strings and numbers of SSH's data types (RFC 4251 §5), which are not secret here.
struct SSHWire {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  mutating func take(_ count: Int) -> [UInt8]? {
    guard count >= 0, count <= bytes.count - offset else { return nil }
    defer { offset += count }
    return Array(bytes[offset..<offset + count])
  }

  mutating func number() -> UInt32? { take(4).map { UInt32(bigEndian: $0.span, at: 0) } }

  mutating func string() -> [UInt8]? { number().flatMap { take(Int($0)) } }

  /// A four-byte length, and the bytes.
  static func string(_ bytes: [UInt8]) -> [UInt8] { UInt32(bytes.count).bigEndianBytes + bytes }
}
