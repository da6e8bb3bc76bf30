/// A MAC algorithm for a key behind a handle; a stored key's record names its own. Numbers are never reused.
package enum MACChoice: UInt8, CaseIterable, Sendable {
  case hmacSHA256 = 1
  case hmacSHA384 = 2
  case hmacSHA512 = 3
  case aesCMAC = 4
}
