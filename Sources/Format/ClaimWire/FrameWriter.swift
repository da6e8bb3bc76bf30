/// Writes a frame's values one after the other.
struct FrameWriter {
  private var bytes: [UInt8]

  init(_ kind: FrameKind) { bytes = [0, 0, 0, 0, kind.rawValue] }

  mutating func put(_ value: some FixedWidthInteger) { bytes += value.bigEndianBytes }
  mutating func put(_ digest: ClaimDigest) { bytes += digest.bytes }
  mutating func put(_ host: HostName) { bytes += host.text.utf8 }

  /// With its length in front.
  var frame: [UInt8] {
    var frame = bytes
    var span = frame.mutableSpan
    span.store(UInt32(bytes.count - ClaimFrameSize.lengthByteCount), at: 0)
    return frame
  }
}
