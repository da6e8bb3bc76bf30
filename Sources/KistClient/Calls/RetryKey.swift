internal import Format

/// Names one opening of a token, so that the very same call can be made again after a lost reply [OP-OPEN-11]; used for no other.
public struct RetryKey: Hashable, Sendable {
  /// 16 bytes.
  public let bytes: [UInt8]

  /// A new one, at random.
  public init() {
    var generator = SystemRandomNumberGenerator()
    bytes = (0..<OpenPaymentTokenRequest.retryKeyCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// Nil unless there are 16 bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == OpenPaymentTokenRequest.retryKeyCount else { return nil }
    self.bytes = bytes
  }
}

extension RetryKey: CustomStringConvertible {
  /// 32 hexadecimal digits.
  public var description: String { Hex.encode(bytes) }
}

extension Client {
  /// Asks; if the reply is lost, once more, on a new connection and with a new time-out.
  func asking(again: Bool, _ ask: () throws(ClientError) -> OpenedToken) throws(ClientError) -> OpenedToken {
    do throws(ClientError) { return try ask() } catch let lost {
      guard again, lost.isLostReply else { throw lost }
      do throws(ClientError) {
        try reconnect()
        return try ask()
      } catch let error {
        // The first may have been carried out, which what could meet any request would deny.
        throw error.isAboutDaemon ? lost : error
      }
    }
  }
}
