internal import Crypto

/// What the store must hold by the ceremony's record: what it held last, or that with the change that was announced since.
///
/// Only this tells a sitting whether the interrupted step had been done: that something is in the store proves nothing.
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
      (known, self.announced, isChangeMade) = (found, nil, true)
      return true
    }
    // An existing store is accepted as it is when it is first opened; a store that this ceremony makes was announced.
    guard known == found || !hasStore else { return false }
    (known, announced) = (found, nil)
    return true
  }

  mutating func finishStep() { (announced, isChangeMade) = (nil, false) }
}
