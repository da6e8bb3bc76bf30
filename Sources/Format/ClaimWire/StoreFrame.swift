/// What `kist-claimd` sends.
package enum StoreFrame: ClaimFrame {
  case answer(ClaimAnswer)
  /// The store has not answered this ask, or not clearly.
  case away(id: UInt64)
  /// Whether the store can be asked; comes first, and at each change.
  case state(isThere: Bool)

  package init(_ frame: Span<UInt8>) throws(ClaimWireError) {
    var reader = FrameReader(frame)
    switch try reader.kind() {
    case .answer: self = .answer(try ClaimAnswer(&reader))
    case .away: self = .away(id: try reader.integer())
    case .state:
      switch try reader.integer(UInt8.self) {
      case 0: self = .state(isThere: false)
      case 1: self = .state(isThere: true)
      default: throw .state
      }
    case .hello, .ask: throw .kind
    }
    try reader.finish()
  }

  package var encoded: [UInt8] {
    switch self {
    case .answer(let answer):
      var writer = FrameWriter(.answer)
      answer.write(to: &writer)
      return writer.frame
    case .away(let id):
      var writer = FrameWriter(.away)
      writer.put(id)
      return writer.frame
    case .state(let isThere):
      var writer = FrameWriter(.state)
      writer.put(isThere ? 1 : 0 as UInt8)
      return writer.frame
    }
  }
}

/// Who holds each claim of an ask, in its order.
package struct ClaimAnswer: Hashable, Sendable {
  /// The ask's.
  package let id: UInt64
  /// 1 to 512; whoever asked checks that there are as many as claims.
  package let holdings: [ClaimHolding]

  /// - Returns: nil if the holdings are too few or too many.
  package init?(id: UInt64, holdings: [ClaimHolding]) {
    guard ClaimFrameSize.claims.contains(holdings.count) else { return nil }
    self.id = id
    self.holdings = holdings
  }

  fileprivate init(_ reader: inout FrameReader) throws(ClaimWireError) {
    id = try reader.integer()
    var holdings: [ClaimHolding] = []
    // The shortest has a host name of one byte.
    for _ in 0..<(try reader.count(of: 43)) { holdings.append(try ClaimHolding(&reader)) }
    self.holdings = holdings
  }

  fileprivate func write(to writer: inout FrameWriter) {
    writer.put(id)
    writer.put(UInt16(holdings.count))
    for holding in holdings {
      writer.put(holding.holder.rawValue)
      writer.put(holding.ageMilliseconds)
      writer.put(holding.retryDigest)
      writer.put(UInt8(holding.host.text.utf8.count))
      writer.put(holding.host)
    }
  }
}

extension ClaimHolding {
  fileprivate init(_ reader: inout FrameReader) throws(ClaimWireError) {
    guard let holder = Holder(rawValue: try reader.integer()) else { throw .holder }
    let age = try reader.integer(UInt64.self)
    let digest = try reader.digest()
    self.init(
      holder, ageMilliseconds: age, retryDigest: digest,
      host: try reader.hostName(count: Int(try reader.integer(UInt8.self))))
  }
}
