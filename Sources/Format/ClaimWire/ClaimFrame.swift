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
