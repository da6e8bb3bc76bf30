package import CryptoBackend

/// A change that a step is about to make to the store: it is on the record before it is made.
package struct StoreChange: Hashable, Sendable {
  package let subject: StoreSubject
  /// What the store says of it afterwards.
  package let value: String
  /// Of everything that the store holds afterwards.
  package let inventory: Digest256

  init(_ subject: StoreSubject, to inventory: StoreInventory) {
    (self.subject, value, self.inventory) = (subject, inventory.line(subject) ?? "", inventory.digest)
  }

  package init(subject: StoreSubject, value: String, inventory: Digest256) { (self.subject, self.value, self.inventory) = (subject, value, inventory) }
}
