import Crypto
import Format
import Host

/// PEM text (RFC 7468), for public values only.
package enum PEM {
  package static func text(_ label: String, _ der: [UInt8]) -> String {
    let body = Array(Base64.encode(der).utf8)
    var text = "-----BEGIN \(label)-----\n"
    for start in stride(from: 0, to: body.count, by: 64) {
      text += String(decoding: body[start..<min(start + 64, body.count)], as: UTF8.self) + "\n"
    }
    return text + "-----END \(label)-----\n"
  }
}

/// Finds the PEM blocks (RFC 7468) in a file and decodes each in secret memory.
///
/// It skips text outside blocks, such as the "Bag Attributes" of `openssl pkcs12`, and blocks that
/// are neither keys nor certificates. It refuses blocks with headers (RFC 1421), which mark
/// encryption in old files.
struct PEMReader: ~Escapable {
  private let text: Span<UInt8>
  private var position = 0
  private var blocks = 0

  @_lifetime(copy text)
  init(_ text: Span<UInt8>) { self.text = text }

  enum Label: CaseIterable {
    case pkcs8, encryptedPKCS8, sec1, pkcs1, certificate, publicKey

    var text: [UInt8] {
      switch self {
      case .pkcs8: Array("PRIVATE KEY".utf8)
      case .encryptedPKCS8: Array("ENCRYPTED PRIVATE KEY".utf8)
      case .sec1: Array("EC PRIVATE KEY".utf8)
      case .pkcs1: Array("RSA PRIVATE KEY".utf8)
      case .certificate: Array("CERTIFICATE".utf8)
      case .publicKey: Array("PUBLIC KEY".utf8)
      }
    }
  }

  struct Block: ~Copyable {
    let label: Label
    let der: SecretBuffer
  }

  /// The next block with a known label, or nil at the end of the file.
  mutating func next() throws(KeyFileError) -> Block? {
    while let line = nextLine() {
      guard let name = name(in: line, after: Self.begin) else { continue }
      blocks += 1
      guard blocks <= Self.maximumBlocks else { throw .tooLarge }
      let start = position
      let end = try skipBody(until: name)
      guard
        let label = Label.allCases.first(where: { text.extracting(name).elementsEqual($0.text) })
      else { continue }
      return Block(label: label, der: try decode(start..<end))
    }
    return nil
  }

  private static let begin = Array("-----BEGIN ".utf8)
  private static let end = Array("-----END ".utf8)
  private static let dashes = Array("-----".utf8)
  private static let maximumBlocks = 32

  /// The range of the next line without its line end and trailing spaces.
  private mutating func nextLine() -> Range<Int>? {
    guard position < text.count else { return nil }
    let start = position
    while position < text.count, text[position] != UInt8(ascii: "\n") { position += 1 }
    var end = position
    position += 1
    while end > start, Self.isBlank(text[end - 1]) { end -= 1 }
    return start..<end
  }

  /// The range of the label in a boundary line.
  private func name(in line: Range<Int>, after boundary: [UInt8]) -> Range<Int>? {
    let bytes = text.extracting(line)
    let name = boundary.count..<max(boundary.count, bytes.count - Self.dashes.count)
    guard bytes.hasPrefix(boundary), bytes.count >= boundary.count + Self.dashes.count,
      bytes.extracting(name.upperBound..<bytes.count).elementsEqual(Self.dashes)
    else { return nil }
    return line.lowerBound + name.lowerBound..<line.lowerBound + name.upperBound
  }

  /// Moves past the end boundary with the same label, and returns where the body ends.
  private mutating func skipBody(until label: Range<Int>) throws(KeyFileError) -> Int {
    while let line = nextLine() {
      if name(in: line, after: Self.begin) != nil { throw .malformed }
      guard let closing = name(in: line, after: Self.end) else { continue }
      guard text.extracting(closing).elementsEqual(text.extracting(label).array) else {
        throw .malformed
      }
      return line.lowerBound
    }
    throw .malformed
  }

  private func decode(_ body: Range<Int>) throws(KeyFileError) -> SecretBuffer {
    do throws(CryptoError) {
      var packed = try SecretBuffer.make(body.count)
      var characters = packed.mutableBytes
      var count = 0
      for i in body where !Self.isBlank(text[i]) {
        // Only a header contains a colon: "Proc-Type: 4,ENCRYPTED".
        guard text[i] != UInt8(ascii: ":") else { throw .invalidInput }
        characters[count] = text[i]
        count += 1
      }
      let base64 = packed.bytes.extracting(0..<count)
      guard let size = Base64.decodedCount(base64), size > 0 else { throw .authenticationFailed }
      var der = try SecretBuffer.make(size)
      var out = der.mutableBytes
      guard Base64.decode(base64, into: &out) == size else { throw .authenticationFailed }
      return der
    } catch {
      switch error {
      case .invalidInput: throw .weakEncryption
      case .authenticationFailed, .invalidKey, .invalidPoint, .invalidCertificate: throw .malformed
      case .exhausted: throw .exhausted
      case .backend: throw .backend
      }
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }
}
