import CConstantTime
package import Crypto
package import Host

/// The full-length components of a key from another HSM: each known to one person, and the key is
/// their XOR.
///
/// Each component is checked as it is entered, so that its custodian learns of a mistake at once;
/// nobody sees the key.
package struct KeyComponents: ~Copyable {
  /// Which parity TDES components must have.
  package enum Parity: Sendable {
    /// Odd in every byte, as payShield and compatible machines print components.
    case odd
    /// For machines that leave the lowest bit random.
    case any
  }

  package let algorithm: ComponentAlgorithm
  /// How many components the key has.
  package let expected: Int
  /// How many have been entered.
  package private(set) var taken = 0
  private let parity: Parity
  /// All components, one after the other; TDES components without parity bits, which do not take
  /// part in encryption, so that they compare equal.
  private var held: SecretBuffer

  /// - Throws: `ComponentError.count` unless `expected` is 2 or 3; `.crypto`.
  package init(_ algorithm: ComponentAlgorithm, expected: Int, parity: Parity = .odd)
    throws(ComponentError)
  {
    guard (2...3).contains(expected) else { throw .count }
    let held = try Self.buffer(expected * algorithm.byteCount)
    self.held = held
    self.algorithm = algorithm
    self.expected = expected
    self.parity = parity
  }

  /// Takes the next component.
  ///
  /// - Parameter check: the check value on the sheet: three bytes, or five for AES.
  /// - Throws: `ComponentError` with the component's number; the component is not taken and can be
  ///   entered again.
  package mutating func take(_ component: Span<UInt8>, check: KeyCheckValue) throws(ComponentError)
  {
    let number = taken + 1
    guard number <= expected else { throw .surplus }
    guard component.count == algorithm.byteCount else { throw .length(component: number) }
    guard !algorithm.isTripleDES || parity == .any || DESParity.isOdd(component) else {
      throw .parity(component: number)
    }
    guard try checkValue(of: component).agrees(with: check) else {
      throw .checkValue(component: number)
    }
    put(component)
    if let error = fault(of: number) { throw error }
    taken = number
  }

  /// Combines the components into the key. A TDES key gets odd parity whatever its components had,
  /// since XOR of two odd bytes is even.
  ///
  /// - Parameter check: the sheet's check value of the whole key.
  /// - Throws: `ComponentError.missing`, `.zeroKey`, `.equalParts`, `.combinedCheckValue`,
  ///   `.crypto`.
  package consuming func combine(check: KeyCheckValue) throws(ComponentError) -> SecretBuffer {
    guard taken == expected else { throw .missing }
    var key = try Self.buffer(algorithm.byteCount)
    do {
      var bytes = key.mutableBytes
      for number in 1...expected {
        let component = held.bytes.extracting(place(number))
        for i in component.indices { bytes[i] ^= component[i] }
      }
    }
    guard !ConstantTime.isZero(key.bytes) else { throw .zeroKey }
    guard !algorithm.isTripleDES || !Self.hasEqualParts(key.bytes) else { throw .equalParts }
    if algorithm.isTripleDES {
      var bytes = key.mutableBytes
      DESParity.setOdd(&bytes)
    }
    guard try checkValue(of: key.bytes).agrees(with: check) else { throw .combinedCheckValue }
    return key
  }
}

extension KeyComponents {
  /// The range in which component `number`, counted from 1, is held.
  private func place(_ number: Int) -> Range<Int> {
    (number - 1) * algorithm.byteCount..<number * algorithm.byteCount
  }

  private mutating func put(_ component: Span<UInt8>) {
    let offset = taken * algorithm.byteCount
    let hasParity = algorithm.isTripleDES
    var bytes = held.mutableBytes
    bytes.copy(component, at: offset)
    if hasParity { DESParity.clear(&bytes) }
  }

  /// What is wrong with a component, by itself and compared with the others.
  private func fault(of number: Int) -> ComponentError? {
    let component = held.bytes.extracting(place(number))
    if ConstantTime.isZero(component) { return .zeroComponent(number) }
    for other in 1..<number where ConstantTime.equal(held.bytes.extracting(place(other)), component)
    {
      return .equal(component: number, to: other)
    }
    return nil
  }

  private static func buffer(_ count: Int) throws(ComponentError) -> SecretBuffer {
    do throws(CryptoError) { return try SecretBuffer.make(count) } catch { throw .crypto(error) }
  }

  private func checkValue(of key: Span<UInt8>) throws(ComponentError) -> KeyCheckValue {
    do throws(CryptoError) { return try algorithm.checkValue(of: key) } catch {
      throw .crypto(error)
    }
  }

  /// Whether K1 = K2 or K2 = K3. K1 = K3 is allowed: it is two-key TDES, like every key of 16
  /// bytes.
  private static func hasEqualParts(_ key: Span<UInt8>) -> Bool {
    let first = key.extracting(0..<8)
    let second = key.extracting(8..<16)
    if ConstantTime.equal(first, second) { return true }
    return key.count == 24 && ConstantTime.equal(second, key.extracting(16..<24))
  }
}

extension KeyCheckValue {
  /// Whether `given` is this value, in full or in its three-byte form.
  fileprivate func agrees(with given: KeyCheckValue) -> Bool { given == self || given == short }
}

/// The algorithm of a key that is entered in components.
package enum ComponentAlgorithm: CaseIterable, Sendable {
  case aes128, aes192, aes256, tripleDES2, tripleDES3

  /// The size of the key and of each component, in bytes.
  package var byteCount: Int {
    switch self {
    case .aes128, .tripleDES2: 16
    case .aes192, .tripleDES3: 24
    case .aes256: 32
    }
  }

  /// The check value of a key or component: CMAC for AES, ECB for TDES.
  package func checkValue(of key: Span<UInt8>) throws(CryptoError) -> KeyCheckValue {
    isTripleDES ? try .tripleDES(key) : try .aes(key)
  }

  /// Whether each byte has a parity bit.
  var isTripleDES: Bool {
    switch self {
    case .aes128, .aes192, .aes256: false
    case .tripleDES2, .tripleDES3: true
    }
  }
}

/// Why the components of a key were refused; components are counted from 1, as on their sheets.
package enum ComponentError: Error, Equatable {
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
  /// Two adjacent parts of a TDES key are equal, so it is only as strong as DES.
  /// [KS-COMPONENT-PARTS]
  case equalParts
  /// The key's check value differs from the one on the sheet. [KS-COMPONENT-KCV]
  case combinedCheckValue
  case crypto(CryptoError)
}

/// The parity bit: the lowest bit of each byte of a DES key, which gives the byte an odd number of
/// ones and which ciphers ignore (SP 800-67 §2).
package enum DESParity {
  /// Whether every byte has odd parity, in constant time.
  package static func isOdd(_ key: Span<UInt8>) -> Bool {
    var wrong: UInt8 = 0
    for i in key.indices { wrong |= 1 ^ parity(key[i]) }
    // Callers refuse such a component.
    return kist_declassified(wrong == 0)
  }

  /// Sets odd parity in every byte.
  package static func setOdd(_ key: inout MutableSpan<UInt8>) {
    for i in key.indices { key[i] ^= 1 ^ parity(key[i]) }
  }

  /// Clears the parity bits, so that keys that encrypt alike compare equal.
  package static func clear(_ key: inout MutableSpan<UInt8>) {
    for i in key.indices { key[i] &= 0xFE }
  }

  /// 1 for an odd number of ones; without a table, whose use would show in the cache.
  private static func parity(_ byte: UInt8) -> UInt8 {
    var folded = byte ^ byte >> 4
    folded ^= folded >> 2
    return (folded ^ folded >> 1) & 1
  }
}

extension ConstantTime {
  /// Whether all bytes are zero.
  package static func isZero(_ bytes: Span<UInt8>) -> Bool {
    var seen: UInt8 = 0
    for i in bytes.indices { seen |= bytes[i] }
    // Callers refuse such a key.
    return kist_declassified(seen == 0)
  }
}
