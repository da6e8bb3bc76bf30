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
    guard let digest = ClaimDigest(bytes.extracting(try take(ClaimDigest.byteCount))) else { throw .truncated }
    return digest
  }

  mutating func hostName(count: Int) throws(ClaimWireError) -> HostName {
    guard let host = HostName(bytes.extracting(try take(count))) else { throw .hostName }
    return host
  }

  mutating func restAsHostName() throws(ClaimWireError) -> HostName { try hostName(count: bytes.count - place) }

  /// How many elements of at least `size` bytes follow; what cannot all be there is refused before any is read.
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
