/// What `kistd` sends.
package enum DaemonFrame: ClaimFrame {
  /// Comes first.
  case hello(HostName)
  case ask(ClaimAsk)

  package static let version: UInt8 = 1

  package init(_ frame: Span<UInt8>) throws(ClaimWireError) {
    var reader = FrameReader(frame)
    switch try reader.kind() {
    case .hello:
      guard try reader.integer(UInt8.self) == Self.version else { throw .version }
      self = .hello(try reader.restAsHostName())
    case .ask: self = .ask(try ClaimAsk(&reader))
    case .answer, .away, .state: throw .kind
    }
    try reader.finish()
  }

  package var encoded: [UInt8] {
    switch self {
    case .hello(let host):
      var writer = FrameWriter(.hello)
      writer.put(Self.version)
      writer.put(host)
      return writer.frame
    case .ask(let ask):
      var writer = FrameWriter(.ask)
      ask.write(to: &writer)
      return writer.frame
    }
  }
}

/// The claims of one read batch or of several, which are answered together.
package struct ClaimAsk: Hashable, Sendable {
  package let id: UInt64
  /// 1 to 512, which differ from each other [FLEET-SOCK-1].
  package let claims: [Claim]

  /// - Returns: nil if the claims are too few or too many, or one stands among them twice.
  package init?(id: UInt64, claims: [Claim]) {
    guard ClaimFrameSize.claims.contains(claims.count), Self.areDistinct(claims) else { return nil }
    (self.id, self.claims) = (id, claims)
  }

  fileprivate init(_ reader: inout FrameReader) throws(ClaimWireError) {
    id = try reader.integer()
    var claims: [Claim] = []
    for _ in 0..<(try reader.count(of: 68)) {
      claims.append(Claim(digest: try reader.digest(), retryDigest: try reader.digest(), day: try reader.integer()))
    }
    guard Self.areDistinct(claims) else { throw .repeatedClaim }
    self.claims = claims
  }

  fileprivate func write(to writer: inout FrameWriter) {
    writer.put(id)
    writer.put(UInt16(claims.count))
    for claim in claims {
      writer.put(claim.digest)
      writer.put(claim.retryDigest)
      writer.put(claim.day)
    }
  }

  private static func areDistinct(_ claims: [Claim]) -> Bool { Set(claims.map { $0.digest }).count == claims.count }
}
