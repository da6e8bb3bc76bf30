package import Crypto

/// Why the components of a key were refused; components are counted from 1, as on their sheets.
package enum ComponentError: Error, Equatable, Sendable {
  /// A key has two or three components. [KS-COMPONENT-COUNT]
  case count
  /// All components were already entered, or some are still missing. [KS-COMPONENT-COUNT]
  case surplus, missing
  /// The component's length differs from the key's. [KS-COMPONENT-LENGTH]
  case length(component: Int)
  /// Some byte has even parity, but TDES components need odd parity. [KS-COMPONENT-PARITY]
  case parity(component: Int)
  /// The check value differs from the one on the sheet. [KS-COMPONENT-KCV]
  case checkValue(component: Int)
  /// The component is all zeros, so it adds nothing to the key. [KS-COMPONENT-ZERO]
  case zeroComponent(Int)
  /// Two equal components cancel each other out. [KS-COMPONENT-EQUAL]
  case equal(component: Int, to: Int)
  /// The key is all zeros. [KS-COMPONENT-ZERO]
  case zeroKey
  /// Two adjacent parts of a TDES key are equal, so it is only as strong as DES. [KS-COMPONENT-PARTS]
  case equalParts
  /// The key's check value differs from the one on the sheet. [KS-COMPONENT-KCV]
  case combinedCheckValue
  case crypto(CryptoError)
}
