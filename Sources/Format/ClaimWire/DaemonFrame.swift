/// What `kistd` sends.
package enum DaemonFrame: ClaimFrame {
  /// Comes first.
  case hello(Claimant)
  case ask(ClaimAsk)

  package static let version: UInt8 = 2

  package init(_ frame: Span<UInt8>) throws(ClaimWireError) {
    var reader = FrameReader(frame)
    switch try reader.kind() {
    case .hello:
      guard try reader.integer(UInt8.self) == Self.version else { throw .version }
      let run = try reader.integer(UInt64.self)
      self = .hello(Claimant(host: try reader.restAsHostName(), run: run))
    case .ask: self = .ask(try ClaimAsk(&reader))
    case .answer, .away, .state: throw .kind
    }
    try reader.finish()
  }

  package var encoded: [UInt8] {
    switch self {
    case .hello(let claimant):
      var writer = FrameWriter(.hello)
      writer.put(Self.version)
      writer.put(claimant.run)
      writer.put(claimant.host)
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
  /// Tells under which key the claims are made [FLEET-CLAIM-9].
  package let key: ClaimDigest
  /// 1 to 512, which differ from each other [FLEET-SOCK-1].
  package let claims: [Claim]

  /// - Returns: nil if the claims are too few or too many, or one stands among them twice.
  package init?(id: UInt64, key: ClaimDigest, claims: [Claim]) {
    guard ClaimFrameSize.claims.contains(claims.count), Self.areDistinct(claims) else { return nil }
    self.id = id
    self.key = key
    self.claims = claims
  }

  fileprivate init(_ reader: inout FrameReader) throws(ClaimWireError) {
    id = try reader.integer()
    key = try reader.digest()
    var claims: [Claim] = []
    for _ in 0..<(try reader.count(of: 68)) {
      claims.append(
        Claim(
          digest: try reader.digest(), retryDigest: try reader.digest(), day: try reader.integer()))
    }
    guard Self.areDistinct(claims) else { throw .repeatedClaim }
    self.claims = claims
  }

  fileprivate func write(to writer: inout FrameWriter) {
    writer.put(id)
    writer.put(key)
    writer.put(UInt16(claims.count))
    for claim in claims {
      writer.put(claim.digest)
      writer.put(claim.retryDigest)
      writer.put(claim.day)
    }
  }

  private static func areDistinct(_ claims: [Claim]) -> Bool {
    Set(claims.map { $0.digest }).count == claims.count
  }
}
