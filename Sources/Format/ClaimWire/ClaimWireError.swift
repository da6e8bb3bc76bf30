/// Which rule of proto/FLEET.md §3 a frame breaks; the peer's fault, so the connection ends.
package enum ClaimWireError: Error, Hashable, Sendable {
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
