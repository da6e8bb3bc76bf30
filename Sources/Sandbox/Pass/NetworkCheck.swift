internal import Crypto
internal import Format
internal import Host

/// What a payment network checks of a pass before it makes a token of the card.
struct NetworkCheck: ~Escapable {
  private let members: PassMembers
  private let visa: Span<UInt8>
  private let mastercard: PublicKey
  private let now: Timestamp

  @_lifetime(borrow networks)
  init(_ members: PassMembers, _ networks: borrowing TestNetworks, now: Timestamp) {
    (self.members, self.now) = (members, now)
    mastercard = networks.mastercard.certificate.publicKey
    visa = networks.visa.bytes
  }

  /// The card's number that the issuer encrypted for Visa, if the pass has one.
  func encryptedNumber() throws(NetworkFault) -> VisaValue? {
    guard let text = members["encryptedPrimaryAccountNumber"] else { return nil }
    guard let bytes = Base64.decode(text) else { throw .form }
    let value = try VisaValue(String(decoding: bytes, as: UTF8.self), key: visa)
    guard value.isAccount else { throw .form }
    guard let number = value["pan"], number.hasPrefix(members["primaryAccountNumberPrefix"] ?? "") else { throw .contradiction }
    return value
  }

  /// - Parameter number: the encrypted number.
  func activation(_ data: [UInt8], _ number: VisaValue?) throws(NetworkFault) -> OpenedPass.Activation {
    guard !data.isEmpty else { return .none }
    let text = String(decoding: data, as: UTF8.self)
    let (pan, expiry) = (members["primaryAccountNumber"] ?? number?["pan"], members.expiry ?? number?["expiry"])
    guard data[0] == UInt8(ascii: "{") else {
      let value = try VisaValue(text, key: visa)
      guard value.isAccount ? value.isAbout(pan, expiry) : value["nonce"] == members["nonce"] else { throw .contradiction }
      return .checked(text, text: value.text)
    }
    let value = try MastercardValue(data)
    // Only the network knows the number behind an identifier.
    guard let pan, let expiry else { return .unchecked(text) }
    guard let signed = value.signedText(pan, expiry) else { return .unchecked(text) }
    try value.check(signed, mastercard, now: now)
    return .checked(text, text: signed)
  }
}
