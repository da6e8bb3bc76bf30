package import CryptoBackend

/// Why the components of a key were refused; components are counted from 1, as they are on their sheets.
package enum ComponentError: Error, Equatable, Sendable {
  /// A key has two or three components. [KS-COMPONENT-COUNT]
  case count
  /// All components are in already, or not all yet. [KS-COMPONENT-COUNT]
  case surplus, missing
  /// The component is not as long as the key. [KS-COMPONENT-LENGTH]
  case length(component: Int)
  /// Not every byte has odd parity, as TDES components must. [KS-COMPONENT-PARITY]
  case parity(component: Int)
  /// It has another check value than its sheet says. [KS-COMPONENT-KCV]
  case checkValue(component: Int)
  /// All zeros: it adds nothing to the key. [KS-COMPONENT-ZERO]
  case zeroComponent(Int)
  /// Two components that are the same cancel each other. [KS-COMPONENT-EQUAL]
  case equal(component: Int, to: Int)
  /// The key is all zeros. [KS-COMPONENT-ZERO]
  case zeroKey
  /// Two parts of a TDES key that stand side by side are the same: it is no more than DES. [KS-COMPONENT-PARTS]
  case equalParts
  /// The key has another check value than the sheet says. [KS-COMPONENT-KCV]
  case combinedCheckValue
  case crypto(CryptoError)
}
