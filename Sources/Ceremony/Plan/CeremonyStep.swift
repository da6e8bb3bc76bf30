package import KeyStore

/// What every kind of step can do.
package protocol CeremonyStep: Sendable {
  /// What is done, a line each, for the script.
  var script: [String] { get }
  /// The files it leaves, as names within the ceremony's directory.
  var outputs: [String] { get }
  /// The label of the key it brings into the store, where it does.
  var newLabel: KeyLabel? { get }

  /// What must have been read back before it is done.
  var readBacks: [String] { get }

  /// Does it; an error or a crash at any place leaves the store as it was, or the step done.
  func run(_ floor: Floor) throws(CeremonyError)

  /// Whether an attempt that was cut off had been done all the same.
  func isDone(_ floor: Floor) throws(CeremonyError) -> Bool
}

extension CeremonyStep {
  package var outputs: [String] { [] }
  package var newLabel: KeyLabel? { nil }
  package var readBacks: [String] { newLabel.map { [PlannedKey.checkName($0)] } ?? [] }

  /// A step that brings a key is done when the key is there: it comes last.
  package func isDone(_ floor: Floor) throws(CeremonyError) -> Bool {
    guard let newLabel else { return false }
    return floor.store?.record(labelled: newLabel) != nil
  }
}
