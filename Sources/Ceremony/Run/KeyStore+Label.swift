package import KeyStore

extension KeyStore {
  /// The record of the key that has this label, or had it.
  package func record(labelled label: KeyLabel) -> KeyRecord? { records.first { $0.label == label } }
}
