/// A frame of one side of `claims.sock`.
package protocol ClaimFrame: Hashable, Sendable {
  /// Decodes what stands after the length: kind and body, with nothing left over.
  init(_ frame: Span<UInt8>) throws(ClaimWireError)

  /// Length, kind and body.
  var encoded: [UInt8] { get }
}

package enum ClaimFrameSize {
  /// Of the length before every frame.
  package static let lengthByteCount = 4
  /// Of kind and body.
  package static let range = 1...65_536
  /// How many claims one ask holds, and holdings one answer.
  package static let claims = 1...512
}

enum FrameKind: UInt8 {
  case hello = 1
  case ask = 2
  case answer = 3
  case away = 4
  case state = 5
}

/// What has been received of a peer's frames and not been taken yet; it never holds more than the
/// largest frame.
package struct FrameInput: ~Copyable {
  private var storage = [UInt8](
    repeating: 0, count: ClaimFrameSize.lengthByteCount + ClaimFrameSize.range.upperBound)
  private var start = 0
  private var end = 0

  package init() {}

  /// Lets `receive` write behind what is there, and returns how many bytes it says it wrote, or its
  /// error if that is negative.
  ///
  /// There is always room if every whole frame has been taken.
  package mutating func fill(_ receive: (inout MutableSpan<UInt8>) -> Int) -> Int {
    moveToFront()
    let space = end..<storage.count
    var bytes = storage.mutableSpan
    var free = bytes._mutatingExtracting(space)
    let count = receive(&free)
    end += max(0, min(count, space.count))
    return count
  }

  /// Takes the first frame; nil if it has not arrived as a whole.
  ///
  /// - Throws: `ClaimWireError`; nothing after it can be trusted.
  package mutating func next<Frame: ClaimFrame>(_: Frame.Type = Frame.self) throws(ClaimWireError)
    -> Frame?
  {
    let held = end - start
    guard held >= ClaimFrameSize.lengthByteCount else { return nil }
    let length = Int(UInt32(bigEndian: storage.span, at: start))
    guard ClaimFrameSize.range.contains(length) else { throw .frameSize }
    guard held >= ClaimFrameSize.lengthByteCount + length else { return nil }
    let body = start + ClaimFrameSize.lengthByteCount
    start = body + length
    return try Frame(storage.span.extracting(body..<body + length))
  }

  private mutating func moveToFront() {
    guard start > 0 else { return }
    for i in start..<end { storage[i - start] = storage[i] }
    (start, end) = (0, end - start)
  }
}

/// Reads a frame's values one after the other, and none beyond its end.
struct FrameReader: ~Escapable {
  private let bytes: Span<UInt8>
  private var place = 0

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  mutating func kind() throws(ClaimWireError) -> FrameKind {
    guard let kind = FrameKind(rawValue: try integer()) else { throw .kind }
    return kind
  }

  mutating func integer<T: FixedWidthInteger>(_: T.Type = T.self) throws(ClaimWireError) -> T {
    T(bigEndian: bytes, at: try take(T.bitWidth / 8).lowerBound)
  }

  mutating func digest() throws(ClaimWireError) -> ClaimDigest {
    guard let digest = ClaimDigest(bytes.extracting(try take(ClaimDigest.byteCount))) else {
      throw .truncated
    }
    return digest
  }

  mutating func hostName(count: Int) throws(ClaimWireError) -> HostName {
    guard let host = HostName(bytes.extracting(try take(count))) else { throw .hostName }
    return host
  }

  mutating func restAsHostName() throws(ClaimWireError) -> HostName {
    try hostName(count: bytes.count - place)
  }

  /// How many elements of at least `size` bytes follow; what cannot all be there is refused before
  /// any is read.
  mutating func count(of size: Int) throws(ClaimWireError) -> Int {
    let count = Int(try integer(UInt16.self))
    guard ClaimFrameSize.claims.contains(count) else { throw .count }
    guard count * size <= bytes.count - place else { throw .truncated }
    return count
  }

  func finish() throws(ClaimWireError) {
    guard place == bytes.count else { throw .trailingBytes }
  }

  private mutating func take(_ count: Int) throws(ClaimWireError) -> Range<Int> {
    guard count <= bytes.count - place else { throw .truncated }
    defer { place += count }
    return place..<place + count
  }
}

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

/// Which rule of proto/FLEET.md §3 a frame breaks; the peer's fault, so the connection ends.
package enum ClaimWireError: Error, Hashable {
  /// The length is not 1 to 65,536.
  case frameSize
  /// The frame ends inside a value.
  case truncated
  /// Bytes are left after the last value.
  case trailingBytes
  /// A kind that this side never gets.
  case kind
  case version
  case hostName
  /// Not 1 to 512 claims or holdings.
  case count
  /// An ask has a claim twice.
  case repeatedClaim
  case holder
  case state
  /// The state changes again and again.
  case restless
}

extension ClaimWireError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .frameSize: "a frame's length is not 1 to 65536"
    case .truncated: "a frame ends inside a value"
    case .trailingBytes: "bytes are left over in a frame"
    case .kind: "a kind of frame that the other side does not send"
    case .version: "another version of the protocol"
    case .hostName: "no host name"
    case .count: "a count that is not 1 to 512"
    case .repeatedClaim: "one ask has a claim twice"
    case .holder: "a holder that is neither 1 nor 2"
    case .state: "a state that is neither 0 nor 1"
    case .restless: "a state that changes again and again"
    }
  }
}
