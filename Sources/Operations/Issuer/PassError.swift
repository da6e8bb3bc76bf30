internal import ApplePay
internal import Format
internal import Host

/// Why provisioning a pass failed, and which field of the request was wrong.
struct PassError: Error {
  let error: OperationError
  let field: PassField?

  init(_ error: OperationError, _ field: PassField? = nil) { (self.error, self.field) = (error, field) }

  static func missing(_ field: PassField) -> PassError { PassError(.rejected(.missingField), field) }
  static func surplus(_ field: PassField) -> PassError { PassError(.rejected(.surplusField), field) }
  static func value(_ field: PassField) -> PassError { PassError(.rejected(.fieldValue), field) }

  static func of<R: ~Copyable>(_ body: () throws(ProvisioningError) -> R) throws(PassError) -> R {
    do throws(ProvisioningError) { return try body() } catch { throw PassError(error) }
  }

  private init(_ error: ProvisioningError) {
    switch error {
    case .exhausted: self.init(.busy(.memory))
    case .backend: self.init(.fault)
    case .rejected(let rejection): self.init(.rejected(rejection.stage), rejection.field)
    }
  }
}

extension ProvisioningRejection {
  fileprivate var stage: Stage {
    switch self {
    case .missing: .missingField
    case .surplus: .surplusField
    case .value: .fieldValue
    case .certificate: .issuerCertificate
    case .leafMarker: .issuerLeafMarker
    case .chainLength: .issuerChainLength
    case .intermediateMarker: .issuerIntermediateMarker
    case .intermediateName: .issuerIntermediateName
    case .chain: .issuerChain
    case .keyUsage: .issuerKeyUsage
    case .criticalExtension: .issuerCriticalExtension
    case .leafCurve: .issuerLeafCurve
    case .certificateValidity: .issuerValidity
    }
  }

  fileprivate var field: PassField? {
    switch self {
    case .missing(let member), .surplus(let member), .value(let member): member.field
    case .certificate, .leafMarker, .chainLength, .intermediateMarker, .intermediateName, .chain, .keyUsage, .criticalExtension, .leafCurve,
      .certificateValidity:
      nil
    }
  }
}

extension PassMember {
  /// The member's field in the request, whose number is the member's place.
  var field: PassField? { Self.allCases.firstIndex(of: self).flatMap { PassField(rawValue: UInt8($0 + 1)) } }
}
