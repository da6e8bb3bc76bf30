import Format
import TestSupport

/// A connection's bytes on `claims.sock`: one byte that says whose they are and how they arrive,
/// then frames.
enum ClaimFrameTarget: FuzzTarget {
  static let name = "claim-frame"
  static let byteLimit = 4096

  static func seeds() throws -> [[UInt8]] {
    guard let host = HostName("shop-1"),
      let ask = ClaimAsk(
        id: 1, key: .zero, claims: [Claim(digest: .zero, retryDigest: .zero, day: 20_000)]),
      let answer = ClaimAnswer(
        id: 1,
        holdings: [ClaimHolding(.anotherHost, ageMilliseconds: 9, retryDigest: .zero, host: host)])
    else { return [] }
    let daemon =
      DaemonFrame.hello(Claimant(host: host, run: 7)).encoded + DaemonFrame.ask(ask).encoded
    let store =
      StoreFrame.state(isThere: true).encoded + StoreFrame.answer(answer).encoded
      + StoreFrame.away(id: 2).encoded
    return [[0] + daemon, [7] + daemon, [128] + store, [255] + store, [0], [128, 0, 0, 0, 0]]
  }

  static func run(_ input: [UInt8]) throws {
    guard let first = input.first else { return }
    let bytes = Array(input.dropFirst())
    if first < 128 {
      try receive(bytes, atOnce: Int(first) + 1, DaemonFrame.self)
    } else {
      try receive(bytes, atOnce: Int(first) - 127, StoreFrame.self)
    }
  }

  /// The frames that come out are the bytes that went in.
  private static func receive<Frame: ClaimFrame>(_ bytes: [UInt8], atOnce count: Int, _: Frame.Type)
    throws
  {
    var input = FrameInput()
    var sent = 0
    var taken = 0
    while sent < bytes.count {
      let next = bytes[sent..<min(bytes.count, sent + count)]
      let received = input.fill { free in
        let part = next.prefix(free.count)
        for (place, byte) in part.enumerated() { free[place] = byte }
        return part.count
      }
      try promise(received > 0, "an incomplete frame has no room to become whole")
      sent += received
      while let frame = try input.next(Frame.self) {
        let encoded = frame.encoded
        try promise(bytes[taken...].starts(with: encoded), "a frame encodes to other bytes")
        taken += encoded.count
      }
    }
  }
}
