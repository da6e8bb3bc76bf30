/// A MAC algorithm for a key behind a handle; a stored key's record names its own. Numbers are never reused.
package enum MACChoice: UInt8, Named, Sendable {
  case hmacSHA256 = 1
  case hmacSHA384 = 2
  case hmacSHA512 = 3
  case aesCMAC = 4

  /// The name on the command line.
  package var name: String {
    switch self {
    case .hmacSHA256: "hmac-sha256"
    case .hmacSHA384: "hmac-sha384"
    case .hmacSHA512: "hmac-sha512"
    case .aesCMAC: "aes-cmac"
    }
  }
}
