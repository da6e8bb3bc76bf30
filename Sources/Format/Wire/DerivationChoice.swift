/// A key derivation function with its hash; numbers are never reused.
package enum DerivationChoice: UInt8, CaseIterable, Sendable {
  case oneStepSHA256 = 1
  case oneStepSHA384 = 2
  case oneStepSHA512 = 3
  case x963SHA256 = 4
  case x963SHA384 = 5
  case x963SHA512 = 6
  case hkdfSHA256 = 7
  case hkdfSHA384 = 8
  case hkdfSHA512 = 9
}
