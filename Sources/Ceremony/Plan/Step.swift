internal import Configuration
internal import KeyStore

/// One step of a ceremony.
package enum Step: Sendable {
  case initialise(InitialiseStep)
  case unlock(UnlockStep)
  case generate(GenerateStep)
  case importComponents(ImportComponentsStep)
  case importFile(ImportFileStep)
  case importBlock(ImportBlockStep)
  case exportBlock(ExportBlockStep)
  case certificateRequest(CertificateRequestStep)
  case attachCertificate(AttachCertificateStep)
  case destroy(DestroyStep)
  case reshare(ReshareStep)
  case rotateKEK(RotateKEKStep)
  case backUp(BackUpStep)
  case restore(RestoreStep)

  package enum Kind: String, CaseIterable, Sendable {
    case initialise, unlock, generate
    case importComponents = "import-components"
    case importFile = "import-file"
    case importBlock = "import-block"
    case exportBlock = "export-block"
    case certificateRequest = "certificate-request"
    case attachCertificate = "attach-certificate"
    case destroy, reshare
    case rotateKEK = "rotate-kek"
    case backUp = "back-up"
    case restore
  }

  package var kind: Kind {
    switch self {
    case .initialise: .initialise
    case .unlock: .unlock
    case .generate: .generate
    case .importComponents: .importComponents
    case .importFile: .importFile
    case .importBlock: .importBlock
    case .exportBlock: .exportBlock
    case .certificateRequest: .certificateRequest
    case .attachCertificate: .attachCertificate
    case .destroy: .destroy
    case .reshare: .reshare
    case .rotateKEK: .rotateKEK
    case .backUp: .backUp
    case .restore: .restore
    }
  }

  package var action: any CeremonyStep {
    switch self {
    case .initialise(let step): step
    case .unlock(let step): step
    case .generate(let step): step
    case .importComponents(let step): step
    case .importFile(let step): step
    case .importBlock(let step): step
    case .exportBlock(let step): step
    case .certificateRequest(let step): step
    case .attachCertificate(let step): step
    case .destroy(let step): step
    case .reshare(let step): step
    case .rotateKEK(let step): step
    case .backUp(let step): step
    case .restore(let step): step
    }
  }

  /// Whether the step opens the store.
  var opensStore: Bool {
    switch self {
    case .initialise, .unlock, .restore: true
    case .generate, .importComponents, .importFile, .importBlock, .exportBlock, .certificateRequest, .attachCertificate, .destroy, .reshare, .rotateKEK,
      .backUp:
      false
    }
  }

  /// How the step opens an existing store; nil if it makes a new one, and for every later step.
  var unlock: UnlockStep? {
    switch self {
    case .unlock(let step): step
    case .restore(let step): step.unlock
    case .initialise, .generate, .importComponents, .importFile, .importBlock, .exportBlock, .certificateRequest, .attachCertificate, .destroy, .reshare,
      .rotateKEK, .backUp:
      nil
    }
  }

  init(_ table: TOMLTable, _ people: People) throws(ConfigurationError) {
    let expected = "one of " + Kind.allCases.map(\.rawValue).joined(separator: ", ")
    switch try table.required("kind", expected).text(expected, { Kind(rawValue: $0) }) {
    case .initialise: self = .initialise(try InitialiseStep(table, people))
    case .unlock: self = .unlock(try UnlockStep(table))
    case .generate: self = .generate(try GenerateStep(table))
    case .importComponents: self = .importComponents(try ImportComponentsStep(table, people))
    case .importFile: self = .importFile(try ImportFileStep(table, people))
    case .importBlock: self = .importBlock(try ImportBlockStep(table))
    case .exportBlock: self = .exportBlock(try ExportBlockStep(table))
    case .certificateRequest: self = .certificateRequest(try CertificateRequestStep(table))
    case .attachCertificate: self = .attachCertificate(try AttachCertificateStep(table))
    case .destroy: self = .destroy(try DestroyStep(table))
    case .reshare: self = .reshare(try ReshareStep(table, people))
    case .rotateKEK: self = .rotateKEK(try RotateKEKStep(table, people))
    case .backUp: self = .backUp(try BackUpStep(table))
    case .restore: self = .restore(try RestoreStep(table))
    }
  }
}
