package import KeyStore

/// What every kind of step can do.
package protocol CeremonyStep: Sendable {
  /// What is done, a line each, for the script.
  var script: [String] { get }
  /// The files it writes, as names within the ceremony's directory.
  var outputs: [String] { get }
  /// The label of the key that it adds to the store, if any.
  var newLabel: KeyLabel? { get }

  /// Who must be present for it, besides the administrator and the operator.
  var needed: [String] { get }

  /// What must have been read back before it is done.
  var readBacks: [ReadBack] { get }

  /// Does the step. An error or a crash at any place leaves the store as it was, or as the change on the record says.
  func run(_ room: CeremonyRoom) throws(CeremonyError)

  /// Does what follows the change of the store. If a sitting ends before this is over, the next one does it again.
  func finish(_ room: CeremonyRoom) throws(CeremonyError)

  /// Checks that the records are those that `run` leaves.
  func check(_ records: inout RecordCursor) throws(RecordCursor.End)

  /// Checks that the records are those that `finish` leaves.
  func checkFinish(_ records: inout RecordCursor) throws(RecordCursor.End)
}

extension CeremonyStep {
  package var outputs: [String] { [] }
  package var newLabel: KeyLabel? { nil }
  package var needed: [String] { [] }
  package var readBacks: [ReadBack] { newLabel.map { [.key($0)] } ?? [] }
  package func finish(_ room: CeremonyRoom) throws(CeremonyError) {}
  package func checkFinish(_ records: inout RecordCursor) throws(RecordCursor.End) {}
}
