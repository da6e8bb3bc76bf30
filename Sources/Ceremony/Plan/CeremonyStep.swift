package import Configuration
package import KeyStore

/// One step of a ceremony. Each kind is a type of its own and a row of `stepTable`.
package protocol CeremonyStep: Sendable {
  /// Its name in plans and transcripts.
  static var kind: String { get }
  /// Whether it opens the store: the first step does, and no other.
  static var opensStore: Bool { get }
  init(_ table: TOMLTable, _ people: People) throws(ConfigurationError)

  /// How it opens an existing store; nil if it makes a new one, and for every later step.
  var opening: UnlockStep? { get }
  /// Checks the step against the keys that earlier steps make, and adds its own.
  ///
  /// - Parameter table: its place in the plan, for the error.
  func check(after earlier: inout PlannedKeys, _ table: TOMLTable) throws(ConfigurationError)

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

  /// Does the step. An error or a crash at any place leaves the store as it was, or as the change
  /// on the record says.
  func run(_ room: CeremonyRoom) throws(CeremonyError)

  /// Does what follows the change of the store. If a sitting ends before this is over, the next one
  /// does it again.
  func finish(_ room: CeremonyRoom) throws(CeremonyError)

  /// Checks that the records are those that `run` leaves.
  func check(_ records: inout RecordCursor) throws(RecordCursor.End)

  /// Checks that the records are those that `finish` leaves.
  func checkFinish(_ records: inout RecordCursor) throws(RecordCursor.End)
}

extension CeremonyStep {
  package static var opensStore: Bool { false }
  package var opening: UnlockStep? { nil }
  package func check(after earlier: inout PlannedKeys, _ table: TOMLTable)
    throws(ConfigurationError)
  {}
  package var outputs: [String] { [] }
  package var newLabel: KeyLabel? { nil }
  package var needed: [String] { [] }
  package var readBacks: [ReadBack] { newLabel.map { [.key($0)] } ?? [] }
  package func finish(_ room: CeremonyRoom) throws(CeremonyError) {}
  package func checkFinish(_ records: inout RecordCursor) throws(RecordCursor.End) {}
}

/// All kinds of steps.
let stepTable: [any CeremonyStep.Type] = [
  InitialiseStep.self,
  UnlockStep.self,
  GenerateStep.self,
  ImportComponentsStep.self,
  ImportFileStep.self,
  ImportBlockStep.self,
  ExportBlockStep.self,
  CertificateRequestStep.self,
  AttachCertificateStep.self,
  DestroyStep.self,
  ReshareStep.self,
  RotateKEKStep.self,
  BackUpStep.self,
  RestoreStep.self,
]

extension TOMLTable {
  /// Decodes a step of any kind.
  func step(_ people: People) throws(ConfigurationError) -> any CeremonyStep {
    let expected = "one of " + stepTable.map { $0.kind }.joined(separator: ", ")
    let kind = try required("kind", expected).text(expected) { name in
      stepTable.first { $0.kind == name }
    }
    return try kind.init(self, people)
  }
}

/// The rules between the steps of one ceremony.
struct StepRules {
  private var count = 0
  private var labels: Set<String> = []
  private var outputs: Set<String> = []
  private var keys = PlannedKeys()

  /// - Throws: if the step does not fit those before it.
  mutating func take(_ step: any CeremonyStep, _ table: TOMLTable) throws(ConfigurationError) {
    count += 1
    guard type(of: step).opensStore == (count == 1) else {
      let kind = type(of: step).kind
      throw table.error(
        count == 1
          ? "the first step is \(kind); expected initialise, unlock or restore"
          : "\(kind) is step \(count); expected it first")
    }
    if let label = step.newLabel {
      guard labels.insert(label.text).inserted else {
        throw table.error(
          "the label \"\(label.text)\" stands in an earlier step; expected one of its own")
      }
    }
    try step.check(after: &keys, table)
    for name in step.outputs {
      guard outputs.insert(name).inserted else {
        throw table.error("the output \"\(name)\" is an earlier step's; expected one of its own")
      }
    }
  }
}

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
