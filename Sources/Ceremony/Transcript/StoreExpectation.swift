internal import CryptoBackend

/// What the store must hold by what a ceremony has recorded: what it held last, or that and the change that was announced since.
///
/// The one way in which a sitting learns whether the step that was cut off had been done: nothing that lies in the store is believed
/// because it is there.
struct StoreExpectation: Sendable {
  private var known: Digest256?
  private(set) var announced: StoreChange?
  /// Whether the change of the step that is not done was found made.
  private(set) var isChangeMade = false

  /// Whether there is a store by the record, or may be.
  var hasStore: Bool { known != nil || announced != nil }

  mutating func announce(_ change: StoreChange) { announced = change }

  /// Takes what the store holds now; false where it is neither of the two.
  mutating func take(_ found: Digest256) -> Bool {
    if let announced, announced.inventory == found {
      (known, self.announced, isChangeMade) = (found, nil, true)
      return true
    }
    // The first store that is opened is what it is; one that this ceremony makes was announced.
    guard known == found || !hasStore else { return false }
    (known, announced) = (found, nil)
    return true
  }

  mutating func finishStep() { (announced, isChangeMade) = (nil, false) }
}
