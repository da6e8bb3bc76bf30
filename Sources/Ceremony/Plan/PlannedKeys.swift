internal import KeyStore

/// The keys that a ceremony makes.
package struct PlannedKeys {
  /// Those for which Apple issues no certificate.
  private var uncertified: Set<String> = []
  private var made: Set<String> = []

  mutating func add(_ label: KeyLabel, isCertified: Bool) {
    made.insert(label.text)
    if !isCertified { uncertified.insert(label.text) }
  }

  func makes(_ label: KeyLabel) -> Bool { made.contains(label.text) }

  /// Whether the key is made here and Apple would not certify it.
  func isUncertified(_ label: KeyLabel) -> Bool { uncertified.contains(label.text) }
}
