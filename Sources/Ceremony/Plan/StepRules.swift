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
