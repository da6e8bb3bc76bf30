/// How Apple asks for a pass to be encrypted.
package enum EncryptionScheme: UInt8, CaseIterable, Sendable {
  case evECCV2 = 1
  /// Not public, so refused by its name.
  case evRSAV2 = 2
}

/// Which members a pass's payment data has: the columns of table 9-1 of Apple's guide.
package enum PassDataConfiguration: UInt8, CaseIterable, Sendable {
  case accountNumber = 1
  case accountIdentifier = 2
  case encryptedAccountNumber = 3
  /// The third, where Apple or the network waived the name.
  case encryptedAccountNumberUnnamed = 4
}

/// `provision-pass`: what an issuer's service got from Apple's app, and what it knows of the card.
package struct ProvisionPassRequest: ~Escapable {
  package let scheme: EncryptionScheme
  /// DER, in any order.
  package let certificates: [[UInt8]]
  package let configuration: PassDataConfiguration
  /// The values of the payment data, by `PassField.rawValue`; 11 is the account envelope.
  private let values: InlineArray<12, Range<Int>>
  private let body: Span<UInt8>
  /// What the envelope was sealed with besides the number.
  package let envelopeContext: Span<UInt8>
  /// For the one-time value; what it has in common with the payment data may be left out.
  package let network: NetworkInputs
  /// Another network's value, which is passed through.
  package let activationData: Span<UInt8>

  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>) throws(WireError) {
    var reader = MessageReader(bytes)
    scheme = try reader.enumeration(Fields.scheme)
    var certificates: [[UInt8]] = []
    while let certificate = try reader.element(Fields.certificates, atMost: Caps.certificate) {
      guard certificates.count < Caps.certificates else { throw .tooLong(Fields.certificates.number) }
      certificates.append(Self.copy(certificate))
    }
    self.certificates = certificates
    configuration = try reader.enumeration(Fields.configuration)
    var values = InlineArray<12, Range<Int>>(repeating: 0..<0)
    for field in Self.valueFields {
      let place = Self.field(field)
      let value = place.kind == .string ? try reader.text(place, atMost: Self.cap(field)) : try reader.bytes(place, atMost: Self.cap(field))
      if !value.isEmpty, let range = bytes.indices(of: value) { values[Int(field.rawValue)] = range }
    }
    envelopeContext = try reader.bytes(Fields.envelopeContext, atMost: Caps.envelope)
    network = try NetworkInputs(&reader, visa: Fields.visa, mastercard: Fields.mastercard)
    activationData = try reader.bytes(Fields.activationData, atMost: Caps.activationData)
    try reader.end()
    self.values = values
    body = bytes
  }

  /// A field's value; empty where there is none.
  package subscript(_ field: PassField) -> Span<UInt8> {
    @_lifetime(copy self)
    get { body.extracting(values[Int(field.rawValue)]) }
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try Self.encode(scheme, certificates, configuration, into: &writer)
    for field in Self.valueFields { try writer.bytes(Self.field(field), self[field], atMost: Self.cap(field)) }
    try writer.bytes(Fields.envelopeContext, envelopeContext, atMost: Caps.envelope)
    try network.encode(into: &writer, visa: Fields.visa, mastercard: Fields.mastercard)
    try writer.bytes(Fields.activationData, activationData, atMost: Caps.activationData)
  }

  /// What stands in front of the values.
  package static func encode(
    _ scheme: EncryptionScheme, _ certificates: [[UInt8]], _ configuration: PassDataConfiguration, into writer: inout MessageWriter
  ) throws(WireError) {
    try writer.uint(Fields.scheme, UInt64(scheme.rawValue))
    guard certificates.count <= Caps.certificates else { throw .tooLong(Fields.certificates.number) }
    for certificate in certificates { try writer.bytes(Fields.certificates, certificate.span, atMost: Caps.certificate) }
    try writer.uint(Fields.configuration, UInt64(configuration.rawValue))
  }

  package enum Caps {
    package static let certificates = 3
    package static let certificate = 8192
    package static let envelope = 512
    package static let activationData = 4096
    package static let message = certificates * (certificate + 4) + 3 * envelope + activationData + 4096
  }

  private static func copy(_ bytes: Span<UInt8>) -> [UInt8] { bytes.indices.map { bytes[$0] } }
}

extension ProvisionPassRequest {
  /// Those that stand in the message one after the other.
  package static let valueFields = PassField.allCases.filter { $0 != .activation }

  /// The schema's field of a value.
  package static func field(_ field: PassField) -> Field { fields[Int(field.rawValue) - 1] }

  /// Bytes.
  package static func cap(_ field: PassField) -> Int {
    switch field {
    case .encryptedPrimaryAccountNumber: 1024
    case .expiration: 5
    case .name, .nonceSignature: 256
    case .primaryAccountIdentifier: 128
    case .networkName, .nonce, .productType: 64
    case .primaryAccountNumber, .primaryAccountNumberPrefix: 19
    case .accountEnvelope: Caps.envelope
    case .activation: 0
    }
  }

  private static let fields = valueFields.map { field in
    let name = String(field.name.map { $0 == "-" ? "_" : $0 })
    let isBinary = [.nonce, .nonceSignature, .accountEnvelope].contains(field)
    return Field(UInt32(field.rawValue) + 3, name, isBinary ? .bytes : .string)
  }

  package enum Fields {
    static let scheme = Field(1, "scheme", .enumeration("EncryptionScheme"))
    static let certificates = Field(2, "certificates", .bytes, .repeated)
    static let configuration = Field(3, "configuration", .enumeration("PassConfiguration"))
    package static let envelopeContext = Field(15, "envelope_context", .bytes)
    package static let visa = Field(16, "visa", .message("VisaInput"))
    package static let mastercard = Field(17, "mastercard", .message("MastercardInput"))
    package static let activationData = Field(18, "activation_data", .bytes)
  }

  package static let schema = MessageSchema(
    "ProvisionPassRequest",
    [Fields.scheme, Fields.certificates, Fields.configuration] + fields
      + [Fields.envelopeContext, Fields.visa, Fields.mastercard, Fields.activationData])
}

/// What the app hands to PassKit.
package struct ProvisionPassReply: ~Escapable {
  /// Ciphertext and 16-byte tag.
  package let encryptedPassData: Span<UInt8>
  /// 65 bytes.
  package let ephemeralPublicKey: Span<UInt8>
  package let activationData: Span<UInt8>

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    encryptedPassData = try body.bytes(Self.encryptedPassDataField, atMost: 16 * 1024)
    ephemeralPublicKey = try body.bytes(Self.ephemeralPublicKeyField, exactly: 65)
    activationData = try body.bytes(Self.activationDataField, atMost: 4096)
    try body.end()
  }

  package static let encryptedPassDataField = Field(1, "encrypted_pass_data", .bytes)
  package static let ephemeralPublicKeyField = Field(2, "ephemeral_public_key", .bytes)
  package static let activationDataField = Field(3, "activation_data", .bytes)
  package static let schema = MessageSchema(
    "ProvisionPassReply", [encryptedPassDataField, ephemeralPublicKeyField, activationDataField])
}
