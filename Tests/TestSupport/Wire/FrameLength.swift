package import Format

/// The four bytes before every frame: the number of bytes that follow, big-endian [WIRE-4].
package enum FrameLength {
  package static let byteCount = 4
  /// The size of a request's header and body; an operation may allow less.
  package static let request = RequestHeader.lengths
  /// The size of a reply's header and body.
  package static let reply = ReplyHeader.byteCount...1024 * 1024

  /// Decodes a length and checks it against the allowed range, before any memory is allocated.
  ///
  /// - Throws: `WireError.truncated`, `.frameSize`.
  package static func decode(_ frame: Span<UInt8>, in range: ClosedRange<Int>) throws(WireError)
    -> Int
  {
    guard frame.count >= byteCount else { throw .truncated }
    guard let length = Int(exactly: UInt32(bigEndian: frame, at: 0)), range.contains(length) else {
      throw .frameSize
    }
    return length
  }
}
