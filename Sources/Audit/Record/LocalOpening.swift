package import Crypto
internal import Format

/// What goes with the claim of a token that was opened while the fleet's store was away [FLEET-CLAIM-3] [FLEET-CLAIM-4].
package struct LocalOpening: Hashable, Sendable {
  /// The day of the token's signing time.
  package let day: UInt32
  /// Nil of a request that cannot be repeated.
  package let retry: Digest256?

  package init(day: UInt32, retry: Digest256?) { (self.day, self.retry) = (day, retry) }
}

extension LocalOpening {
  func write(into writer: inout CanonicalJSONWriter) {
    writer.member("day", Int64(day))
    guard let retry else { return }
    writer.member("retry", hex: retry.span)
  }
}

extension CanonicalJSONReader {
  @_lifetime(self: copy self)
  mutating func readLocalOpening() throws(CanonicalJSONError) -> LocalOpening {
    var (day, retry): (UInt32?, Digest256?)
    try readObject { (reader, name) throws(CanonicalJSONError) in
      switch name {
      case "day": day = UInt32(exactly: try reader.readInteger())
      case "retry": retry = try reader.readDigest256()
      default: try reader.skip()
      }
    }
    guard let day else { throw .schema }
    return LocalOpening(day: day, retry: retry)
  }

  @_lifetime(self: copy self)
  mutating func readDigest256() throws(CanonicalJSONError) -> Digest256 {
    let place = try readStringPlace()
    guard let digest = Digest256(hexDigits: bytes(place)) else { throw .schema }
    return digest
  }
}
