internal import Host

/// The only symbol size made here, version 10 at level M: the smallest at that level for 33 words of eight letters (ISO/IEC 18004 tables 1, 7, 9).
enum Version10 {
  static let number = 10
  /// Modules.
  static let side = 57
  /// The most characters in alphanumeric mode.
  static let capacity = 311
  /// The bits of the character count.
  static let countWidth = 11
  /// Data codewords of each block.
  static let blocks = [43, 43, 43, 43, 44]
  /// Error correction codewords of each block.
  static let correctionCount = 26
  static let dataCount = 216
  static let codewordCount = 346
  /// The centres of the alignment patterns, in either direction.
  static let alignment = [6, 28, 50]
}

extension SecretBuffer {
  /// A zeroed buffer of `count` bytes; throws `QRCodeError`.
  static func symbolBytes(_ count: Int) throws(QRCodeError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(count: count) } catch { throw .exhausted }
  }
}
