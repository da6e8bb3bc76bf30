internal import Configuration
internal import KeyStore

/// The rules between the steps of one ceremony.
struct StepRules {
  private var count = 0
  private var labels: Set<String> = []
  private var outputs: Set<String> = []
  /// Keys made in this ceremony for which Apple issues no certificate.
  private var uncertified: Set<String> = []
  /// Keys made in this ceremony, whose certificates can only come later.
  private var made: Set<String> = []

  /// - Throws: if the step does not fit those before it.
  mutating func take(_ step: Step, _ table: TOMLTable) throws(ConfigurationError) {
    count += 1
    guard step.opensStore == (count == 1) else {
      throw table.error(
        count == 1
          ? "the first step is \(step.kind.rawValue); expected initialise, unlock or restore" : "\(step.kind.rawValue) is step \(count); expected it first")
    }
    if let label = step.action.newLabel {
      guard labels.insert(label.text).inserted else { throw table.error("the label \"\(label.text)\" stands in an earlier step; expected one of its own") }
    }
    switch step {
    case .generate(let step):
      made.insert(step.key.label.text)
      if step.key.role.certifiedPurpose == nil || !step.algorithm.isCertifiedByApple { uncertified.insert(step.key.label.text) }
    case .certificateRequest(let request):
      guard !uncertified.contains(request.label.text) else {
        throw table.error("Apple certifies no key like \"\(request.label)\"; expected a merchant's on P-256, or RSA-2048")
      }
    case .attachCertificate(let step):
      guard !made.contains(step.label.text) else {
        throw table.error("\"\(step.label)\" is made in an earlier step; expected a key that Apple has made a certificate for")
      }
    case .initialise, .unlock, .importComponents, .importFile, .importBlock, .exportBlock, .destroy, .reshare, .rotateKEK, .backUp, .restore: break
    }
    for name in step.action.outputs {
      guard outputs.insert(name).inserted else { throw table.error("the output \"\(name)\" is an earlier step's; expected one of its own") }
    }
  }
}
