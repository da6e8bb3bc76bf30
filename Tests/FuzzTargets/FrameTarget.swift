import Format
import Host
@testable import Server
import TestSupport

/// A connection's bytes: one byte that says how they arrive, then request frames, or reply frames
/// as a client reads them.
enum FrameTarget: FuzzTarget {
  static let name = "frame"
  static let byteLimit = 4096

  static func seeds() throws -> [[UInt8]] {
    try WireVector.all().flatMap { vector -> [[UInt8]] in
      switch vector.subject {
      case .frames(.request): [[0] + vector.bytes, [7] + vector.bytes]
      case .frames(.reply): [[0xFF] + vector.bytes]
      case .message: []
      }
    }
  }

  static func run(_ input: [UInt8]) throws {
    guard let first = input.first else { return }
    let bytes = Array(input.dropFirst())
    try receive(bytes, atOnce: Int(first) + 1)
    let kind: WireVector.FrameKind = first < 128 ? .request : .reply
    let again = try Decoded(.frames(kind), bytes).bytes
    try promise(again == bytes, "frames encode to other bytes")
  }

  /// As a connection receives them: the frames that come out are the bytes that went in, and none
  /// is longer than its cap.
  private static func receive(_ bytes: [UInt8], atOnce count: Int) throws {
    var buffer = try FrameBuffer()
    var sent = 0
    var taken = 0
    while true {
      switch buffer.next(cap: Self.cap) {
      case .frame(let header, let range):
        let body = buffer.bytes.extracting(range).array
        let end = taken + RequestHeader.lengthByteCount + RequestHeader.byteCount + body.count
        var frame = [UInt8](
          repeating: 0, count: RequestHeader.lengthByteCount + RequestHeader.byteCount)
        var span = frame.mutableSpan
        header.encode(bodyCount: body.count, into: &span)
        try promise(
          (frame + body).elementsEqual(bytes[taken..<end]), "a frame is not what was sent")
        try promise(
          RequestHeader.byteCount + body.count <= cap(header.opcode),
          "a frame is longer than its cap")
        taken = end
      case .broken: return
      case .incomplete:
        guard sent < bytes.count else { return }
        let next = Array(bytes[sent..<min(bytes.count, sent + count)])
        let received = try buffer.fill { free in
          let part = next.prefix(free.count)
          for (i, byte) in part.enumerated() { free[i] = byte }
          return part.count
        }
        try promise(received > 0, "an incomplete frame has no room to become whole")
        sent += received
      }
    }
  }

  private static func cap(_ opcode: UInt16) -> Int { 64 + Int(opcode % 1024) }
}
