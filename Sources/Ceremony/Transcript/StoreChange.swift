package import Crypto

/// A change that a step is about to make to the store, recorded before it is made.
package struct StoreChange: Hashable, Sendable {
  package let subject: StoreSubject
  /// The store's line on the subject afterwards.
  package let value: String
  /// Over everything that the store holds afterwards.
  package let inventory: Digest256

  init(_ subject: StoreSubject, to inventory: StoreInventory) {
    (self.subject, value, self.inventory) = (subject, inventory.line(subject) ?? "", inventory.digest)
  }

  package init(subject: StoreSubject, value: String, inventory: Digest256) { (self.subject, self.value, self.inventory) = (subject, value, inventory) }
}
