package import KeyStore

/// What a step changes in the store.
package enum StoreSubject: Hashable, Sendable {
  /// The KEK, or who has its shares.
  case kek
  case key(KeyLabel)

  /// As the record has it.
  package var text: String {
    switch self {
    case .kek: "KEK"
    case .key(let label): "key \(label)"
    }
  }

  package init?(_ text: String) {
    if text == StoreSubject.kek.text {
      self = .kek
    } else if text.hasPrefix("key "), let label = KeyLabel(String(text.dropFirst(4))) {
      self = .key(label)
    } else {
      return nil
    }
  }
}
