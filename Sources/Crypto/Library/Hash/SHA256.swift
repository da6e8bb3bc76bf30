import COpenSSL
import Format

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
  package static func hash(_ bytes: Span<UInt8>) -> Digest256 {
    var hasher = Hasher()
    hasher.update(bytes)
    return hasher.finish()
  }

  package static func hash(_ bytes: [UInt8]) -> Digest256 { hash(bytes.span) }

  /// The hash of `first ‖ second`.
  package static func hash(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Digest256 {
    var hasher = Hasher()
    hasher.update(first)
    hasher.update(second)
    return hasher.finish()
  }

  /// An incremental hash.
  ///
  /// It uses OpenSSL's low-level functions without EVP, which do not allocate and so cannot fail.
  /// If the input is secret, up to 63 bytes of it pass over the stack, which the daemon wipes after
  /// each operation.
  package struct Hasher: ~Copyable {
    private var state = SHA256_CTX()

    package init() { unsafe SHA256_Init(&state) }

    package mutating func update(_ bytes: Span<UInt8>) {
      guard bytes.count > 0 else { return }
      unsafe SHA256_Update(&state, bytes.start, bytes.count)
    }

    package mutating func update(byte: UInt8) {
      unsafe withUnsafePointer(to: byte) { start in _ = unsafe SHA256_Update(&state, start, 1) }
    }

    package consuming func finish() -> Digest256 {
      Digest256 { out in unsafe SHA256_Final(out.mutableStart, &state) }
    }

    /// Writes the 32 bytes to `offset` of `out`, when the digest is secret.
    package consuming func finish(into out: inout MutableSpan<UInt8>, at offset: Int = 0) {
      precondition(offset >= 0 && out.count - offset >= 32)
      unsafe SHA256_Final(out.mutableStart + offset, &state)
    }
  }
}

/// A 32-byte SHA-256 or HMAC-SHA-256 value that is not secret.
package struct Digest256: Sendable {
  private let storage: InlineArray<32, UInt8>

  /// From exactly 32 bytes; nil otherwise.
  package init?(_ bytes: Span<UInt8>) {
    guard bytes.count == 32 else { return nil }
    storage = InlineArray { bytes[$0] }
  }

  package init?(_ bytes: [UInt8]) { self.init(bytes.span) }

  /// From 64 hexadecimal digits; nil otherwise.
  package init?(hex: some StringProtocol) {
    guard let bytes = Hex.decode(hex) else { return nil }
    self.init(bytes.span)
  }

  init<E: Error>(_ fill: (inout MutableSpan<UInt8>) throws(E) -> Void) throws(E) {
    var bytes = InlineArray<32, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    try fill(&span)
    storage = bytes
  }

  /// 32 zero bytes.
  package static let zero = Digest256 { _ in }

  package var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { storage.span }
  }

  package var bytes: [UInt8] { (0..<32).map { storage[$0] } }

  /// 64 lower-case digits.
  package var hex: String { Hex.encode(span) }

  /// Whether `text` is `hex`, which is not made for that.
  package func isSpelled(by text: Span<UInt8>) -> Bool { Hex.isEncoded(span, as: text) }
}

extension Digest256: Hashable, CustomStringConvertible {
  package static func == (a: Digest256, b: Digest256) -> Bool {
    var difference: UInt8 = 0
    for i in 0..<32 { difference |= a.storage[i] ^ b.storage[i] }
    return difference == 0
  }

  package func hash(into hasher: inout Hasher) {
    for start in stride(from: 0, to: 32, by: 8) {
      var word: UInt64 = 0
      for i in start..<start + 8 { word = word << 8 | UInt64(storage[i]) }
      hasher.combine(word)
    }
  }

  package var description: String { hex }
}
