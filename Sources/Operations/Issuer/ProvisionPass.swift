import ApplePay
import Audit
import Crypto
import Format
import Host
import KeyStore
import Policy

/// `provision-pass`: seals a card for Apple Wallet and makes the one-time value that activates it.
///
/// Sealing needs no key of ours, as it is done for the public key in Apple's certificate. The
/// header may name a key for the network's one-time value; without one, the caller's value is
/// passed through, or there is none.
enum ProvisionPass: Operation {
  static let opcode = Opcode.provisionPass

  static func run(
    _ request: borrowing ProvisionPassRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    let slot = try slot(context)
    context.finding.inputs.activation = activation(request, slot)
    guard request.scheme == .evECCV2 else { throw .rejected(.encryptionScheme) }

    let now = context.now
    do throws(PassError) {
      let account = try account(request, context)
      let encryptedAccount = try encryptedAccount(request, account.bytes, slot, context)
      let passData = try passData(request, account.bytes, encryptedAccount.bytes)
      let recipient = try PassError.of { () throws(ProvisioningError) in
        try context.daemon.provisioning.verify(request.certificates, now: now).recipient
      }
      let activation = try activationData(request, account.bytes, slot, context)
      let sealed = try PassError.naming(
        nil, onCrypto(SealedPass(passData.bytes, for: recipient.span)))
      try write(sealed, activation.bytes, into: &reply)
    } catch {
      context.finding.inputs.field = error.field
      throw error.error
    }
  }
}

extension ProvisionPass {
  /// The key for the one-time value, if the request names one. [OP-PROV-1]
  private static func slot(_ context: borrowing OperationContext) throws(OperationError) -> KeySlot?
  {
    guard context.grant.key != nil else { return nil }
    return try context.key()
  }

  private static func activation(_ request: borrowing ProvisionPassRequest, _ slot: KeySlot?)
    -> PassActivation
  {
    switch (request.network.network, request.activationData.isEmpty) {
    case (.visa, _): .visa
    case (.mastercard, _): .mastercard
    case (.none, false): .passedThrough
    case (.none, true), (.both, _): .none
    }
  }

  /// The card's number, sent in clear or in an envelope that this daemon sealed; empty if there is
  /// none. [OP-PROV-5]
  private static func account(
    _ request: borrowing ProvisionPassRequest, _ context: borrowing OperationContext
  ) throws(PassError) -> SecretBuffer {
    let clear = request.primaryAccountNumber
    if let surrogate = request.accountSurrogate {
      guard clear.isEmpty, request.accountEnvelope.isEmpty, request.envelopeContext.isEmpty else {
        throw .surplus(.accountSurrogate)
      }
      return try PassError.naming(.accountSurrogate, SealedAccount.open(surrogate, context))
    }
    guard !request.accountEnvelope.isEmpty else {
      guard request.envelopeContext.isEmpty else { throw .surplus(.accountEnvelope) }
      return try copy(clear)
    }
    guard clear.isEmpty else { throw .surplus(.primaryAccountNumber) }
    return try SealedAccount.open(request.accountEnvelope, request.envelopeContext, context)
  }

  /// The number encrypted for the network, if the configuration asks for it: as sent, or made here
  /// with Visa's key or for the network's.
  private static func encryptedAccount(
    _ request: borrowing ProvisionPassRequest, _ account: Span<UInt8>, _ slot: KeySlot?,
    _ context: borrowing OperationContext
  ) throws(PassError) -> SecretBuffer {
    guard request.networkKey.isEmpty else {
      return try accountForNetwork(request, account, context)
    }
    let given = request.encryptedPrimaryAccountNumber
    guard request.configuration.encryptsAccount, given.isEmpty, !account.isEmpty else {
      return try copy(given)
    }
    guard let slot, case .visa = slot.record.otp else {
      throw .missing(.encryptedPrimaryAccountNumber)
    }
    guard !request.expiration.isEmpty else { throw .missing(.expiration) }
    let expiry = CardExpiry(account.extracting(first: 0), or: request.expiration)
    do throws(OperationError) {
      let otp = try NetworkOTP.visaAccount(
        .mbpad, number: account, expiry: expiry.digits, slot, at: context.now)
      return try NetworkOTP.base64(otp.bytes)
    } catch { throw error.isInput ? .value(.primaryAccountNumber) : PassError(error) }
  }

  /// The number and its expiration as a JWE for the network's key, which the grant covers
  /// [OP-PROV-8].
  private static func accountForNetwork(
    _ request: borrowing ProvisionPassRequest, _ account: Span<UInt8>,
    _ context: borrowing OperationContext
  ) throws(PassError) -> SecretBuffer {
    guard request.configuration.encryptsAccount, request.encryptedPrimaryAccountNumber.isEmpty
    else { throw .surplus(.encryptedPrimaryAccountNumber) }
    guard !account.isEmpty else { throw .missing(.primaryAccountNumber) }
    guard !request.expiration.isEmpty else { throw .missing(.expiration) }
    guard PAN.hasForm(account) else { throw .value(.primaryAccountNumber) }
    do throws(OperationError) {
      let slot = try context.partnerKey(request.networkKey)
      context.finding.furtherKeys.append(slot.record.id)
      do throws(CryptoError) {
        let number = PassMember.primaryAccountNumber.rawValue
        let end = PassMember.expiration.rawValue
        let expiration = request.expiration
        var payload = try PartnerPayload(
          capacity: PartnerPayload.capacity(of: number, account)
            + PartnerPayload.capacity(of: end, expiration))
        payload.add(number, text: account)
        payload.add(end, text: expiration)
        let finished = try payload.finish()
        let text = try slot.jwe(around: finished.bytes, at: context.now)
        let utf8 = text.utf8.span
        do throws(SecretMemoryError) { return try SecretBuffer(copying: utf8) } catch {
          throw CryptoError.exhausted
        }
      } catch { throw OperationError(error) }
    } catch { throw PassError(error, .encryptedPrimaryAccountNumber) }
  }

  /// Collects the members of the pass; a number that is sent encrypted is not a member in clear.
  /// [OP-PROV-3]
  private static func passData(
    _ request: borrowing ProvisionPassRequest, _ account: Span<UInt8>,
    _ encryptedAccount: Span<UInt8>
  ) throws(PassError) -> SecretBuffer {
    let madeHere =
      request.configuration.encryptsAccount && request.encryptedPrimaryAccountNumber.isEmpty
    let nothing = account.extracting(first: 0)
    // In configuration 2 such a number is for the activation data alone.
    let isInside =
      madeHere
      || request.configuration == .accountIdentifier && request.hidesAccount
        && request.network.network != .none
    return try PassError.of { () throws(ProvisioningError) in
      var pass = try PassData(request.configuration)
      for member in PassMember.allCases {
        switch member {
        case .encryptedPrimaryAccountNumber: try pass.add(member, encryptedAccount)
        case .primaryAccountNumber: try pass.add(member, isInside ? nothing : account)
        case .expiration: try pass.add(member, madeHere ? nothing : request.expiration)
        case .name: try pass.add(member, request.name)
        case .networkName: try pass.add(member, request.networkName)
        case .nonce: try pass.add(member, request.nonce)
        case .nonceSignature: try pass.add(member, request.nonceSignature)
        case .primaryAccountIdentifier: try pass.add(member, request.primaryAccountIdentifier)
        case .primaryAccountNumberPrefix: try pass.add(member, request.primaryAccountNumberPrefix)
        case .productType: try pass.add(member, request.productType)
        }
      }
      return try pass.finish()
    }
  }

  /// The data that activates the pass: made with the named key, passed through, or empty.
  /// [OP-PROV-6]
  private static func activationData(
    _ request: borrowing ProvisionPassRequest, _ account: Span<UInt8>, _ slot: KeySlot?,
    _ context: borrowing OperationContext
  ) throws(PassError) -> SecretBuffer {
    do throws(OperationError) {
      switch request.network.network {
      case .none:
        return try onMemory(SecretBuffer(copying: request.activationData))
      case .visa, .mastercard:
        guard let slot, request.activationData.isEmpty else { throw .rejected(.otpInput) }
        let common = NetworkOTP.Common(
          account: account, expiration: request.expiration, nonce: request.nonce,
          isHidden: request.hidesAccount)
        return try NetworkOTP.make(request.network, common, slot, context)
      case .both: throw .rejected(.otpInput)
      }
    } catch { throw PassError(error, error.isInput ? .activation : nil) }
  }

  private static func write(
    _ sealed: SealedPass, _ activation: Span<UInt8>, into reply: inout MessageWriter
  ) throws(PassError) {
    var answer = ProvisionPassReply()
    answer.encryptedPassData = sealed.encryptedPassData.span
    answer.ephemeralPublicKey = sealed.ephemeralPublicKey.span
    answer.activationData = activation
    try PassError.naming(nil, reply.write(answer))
  }

  private static func copy(_ value: Span<UInt8>) throws(PassError) -> SecretBuffer {
    try PassError.naming(nil, onMemory(SecretBuffer(copying: value)))
  }
}

extension PassConfiguration {
  fileprivate var encryptsAccount: Bool {
    self == .encryptedAccountNumber || self == .encryptedAccountNumberUnnamed
  }
}

extension ProvisionPassRequest {
  /// Whether the caller does not hold the number.
  fileprivate var hidesAccount: Bool { !accountEnvelope.isEmpty || accountSurrogate != nil }
}

/// Why provisioning a pass failed, and which field of the request was wrong.
struct PassError: Error {
  let error: OperationError
  let field: PassField?

  init(_ error: OperationError, _ field: PassField? = nil) {
    self.error = error
    self.field = field
  }

  static func missing(_ field: PassField) -> PassError {
    PassError(.rejected(.missingField), field)
  }
  static func surplus(_ field: PassField) -> PassError {
    PassError(.rejected(.surplusField), field)
  }
  static func value(_ field: PassField) -> PassError { PassError(.rejected(.fieldValue), field) }

  static func naming<R: ~Copyable>(
    _ field: PassField?, _ body: @autoclosure () throws(OperationError) -> R
  ) throws(PassError) -> R {
    do throws(OperationError) { return try body() } catch { throw PassError(error, field) }
  }

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
    case .certificate, .leafMarker, .chainLength, .intermediateMarker, .intermediateName, .chain,
      .keyUsage, .criticalExtension, .leafCurve,
      .certificateValidity:
      nil
    }
  }
}

extension PassMember {
  /// The member's field in the request, whose number is the member's place.
  var field: PassField? {
    Self.allCases.firstIndex(of: self).flatMap { PassField(rawValue: UInt8($0 + 1)) }
  }
}
