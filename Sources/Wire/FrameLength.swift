/// The four bytes in front of every frame: how many follow, big-endian [WIRE-4].
package enum FrameLength {
  package static let byteCount = 4
  /// A request's header and body; an operation may take less.
  package static let request = RequestHeader.byteCount...128 * 1024
  /// A reply's header and body.
  package static let reply = ReplyHeader.byteCount...1024 * 1024

  /// Decodes a length and holds it against what may follow, before a byte of that is given room.
  ///
  /// - Throws: `WireError.truncated`, `.frameSize`.
  package static func decode(_ frame: Span<UInt8>, in range: ClosedRange<Int>) throws(WireError) -> Int {
    guard frame.count >= byteCount else { throw .truncated }
    guard let length = Int(exactly: UInt32(bigEndian: frame, at: 0)), range.contains(length) else { throw .frameSize }
    return length
  }
}
