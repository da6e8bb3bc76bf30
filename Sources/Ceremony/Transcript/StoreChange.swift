package import Crypto
package import KeyStore

/// A change that a step is about to make to the store, recorded before it is made.
package struct StoreChange: Hashable, Sendable {
  package let subject: StoreSubject
  /// The store's line on the subject afterwards.
  package let value: String
  /// Over everything that the store holds afterwards.
  package let inventory: Digest256
}

extension StoreChange {
  init(_ subject: StoreSubject, to inventory: StoreInventory) {
    self.init(
      subject: subject, value: inventory.line(subject) ?? "", inventory: inventory.digest)
  }
}

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

/// What the store must hold by the ceremony's record: what it held last, or that with the change
/// that was announced since.
///
/// Only this tells a sitting whether the interrupted step had been done: that something is in the
/// store proves nothing.
struct StoreExpectation: Sendable {
  private var known: Digest256?
  private(set) var announced: StoreChange?
  /// Whether the unfinished step's change was found in the store.
  private(set) var isChangeMade = false

  /// Whether, by the record, there is a store or may be one.
  var hasStore: Bool { known != nil || announced != nil }

  mutating func announce(_ change: StoreChange) { announced = change }

  /// Takes what the store holds now; false if it is neither of the two.
  mutating func take(_ found: Digest256) -> Bool {
    if let announced, announced.inventory == found {
      known = found
      self.announced = nil
      isChangeMade = true
      return true
    }
    // An existing store is accepted as it is when it is first opened; a store that this ceremony
    // makes was announced.
    guard known == found || !hasStore else { return false }
    known = found
    announced = nil
    return true
  }

  mutating func finishStep() {
    announced = nil
    isChangeMade = false
  }
}
