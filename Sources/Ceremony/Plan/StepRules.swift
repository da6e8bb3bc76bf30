internal import Configuration
internal import KeyStore

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
      throw table.error(count == 1 ? "the first step is \(kind); expected initialise, unlock or restore" : "\(kind) is step \(count); expected it first")
    }
    if let label = step.newLabel {
      guard labels.insert(label.text).inserted else { throw table.error("the label \"\(label.text)\" stands in an earlier step; expected one of its own") }
    }
    try step.check(after: &keys, table)
    for name in step.outputs {
      guard outputs.insert(name).inserted else { throw table.error("the output \"\(name)\" is an earlier step's; expected one of its own") }
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
