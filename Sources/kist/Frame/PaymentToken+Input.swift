internal import Encoding
internal import KistClient

extension PaymentToken {
  /// Apple's JSON from a file, or from standard input for `-`.
  static func read(_ path: String) throws(CommandFailure) -> PaymentToken {
    let text = try Input(path: path).contents(limit: 512 << 10)
    do throws(Unpacking) {
      return try PaymentToken(appleJSON: text)
    } catch {
      switch error {
      case .notJSON: throw .failed("\(path): neither JSON nor base64 of it")
      case .notToken: throw .failed("\(path): JSON, and no payment token: a member is missing or malformed; see kist token diagnose")
      case .unknownVersion: throw .failed("\(path): the token is neither EC_v1 nor RSA_v1")
      case .simulator: throw .failed("\(path): a token of Apple's simulator, which is empty: nothing can open it")
      }
    }
  }
}

extension Arguments {
  /// `--application-data`, 32 bytes in hexadecimal.
  func applicationData() throws(CommandFailure) -> [UInt8]? {
    guard let text = value("application-data") else { return nil }
    guard let bytes = Hex.decode(text), bytes.count == 32 else { throw .usage("--application-data takes a SHA-256 in 64 hexadecimal digits") }
    return bytes
  }
}
