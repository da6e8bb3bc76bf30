import Crypto
import Format
import KeyStore

/// The key that the operator wants in the store, and the checks of its file against that.
struct ImportWish {
  let label: KeyLabel
  let role: KeyRole
  let merchant: MerchantIdentifier?
  /// Seconds since 1970; zero for the certificate's own end.
  let notAfter: Int64
  /// The parameters of a key for one-time values.
  let otp: OTPParameters
  let isExportable: Bool
  /// Of a partner's key.
  let jweMembers: JWEMembers
  private let certificatePath: String?

  init(_ arguments: Arguments) throws(CommandFailure) {
    let text = try arguments.required("label")
    guard let label = KeyLabel(text) else {
      throw .usage(
        "'\(text)' is not a label: segments of a-z, 0-9 and hyphens between slashes, with periods after the first, at most 128 characters"
      )
    }
    let name = try arguments.required("role")
    guard let role = KeyRole(rawValue: name), !role.isInternal else {
      let roles = KeyRole.allCases.filter { !$0.isInternal }.map(\.rawValue)
      throw .usage("unknown role '\(name)'; there are \(roles.joined(separator: ", "))")
    }
    if let identifier = arguments.value("merchant-id") {
      merchant = MerchantIdentifier(identifier)
      guard merchant != nil else {
        throw .usage(
          "'\(identifier)' is not a merchant identifier: 1 to 255 printable ASCII characters")
      }
    } else {
      merchant = nil
    }
    self.label = label
    self.role = role
    certificatePath = arguments.value("certificate")
    guard role.isMerchant || merchant == nil && (certificatePath == nil || role.isPublic) else {
      throw .usage(
        "a key of role \(role.rawValue) belongs to no merchant: it takes no --merchant-id and no --certificate"
      )
    }
    notAfter = try arguments.moment("not-after") ?? 0
    isExportable = arguments.has("exportable")
    otp = try OTPParameters(arguments)
    guard let jweMembers = JWEMembers(arguments.value("jwe-members") ?? ""),
      jweMembers.isEmpty || role.isPartners
    else {
      throw .usage(
        "--jwe-members goes with a partner's key, as 'kid=acquirer-1 typ=JOSE iat=number'; it cannot name what the algorithm needs, such as alg"
      )
    }
    self.jweMembers = jweMembers
    guard role != .otpVisa || !otp.keySet.isEmpty else {
      throw .usage(
        "the key set is missing: a key of role otp-visa needs --key-set, such as 123456.1")
    }
    guard role.otpKind != nil || otp.isEmpty else {
      throw .usage(
        "a key of role \(role.rawValue) makes no one-time values: it takes none of their options")
    }
  }

  /// A partner's public key and certificate, after every check that needs no daemon.
  func partnersKey(in path: String) throws(CommandFailure) -> (
    key: PublicKey, certificate: Certificate?
  ) {
    let found = try KeyFile.publicKey(path)
    let algorithm = KeyAlgorithm.asymmetric(found.key.kind)
    guard role.allows(algorithm) else {
      throw .failed("\(path): a key of role \(role.rawValue) cannot be \(algorithm.name)")
    }
    guard let certificatePath else {
      guard found.certificate != nil || notAfter != 0 else {
        throw .usage(
          "\(path) is not a certificate, so nothing says when the key ends; give --not-after")
      }
      return found
    }
    guard let certificate = try KeyFile.certificates(certificatePath).first,
      certificate.spki == found.key.spki
    else {
      throw .failed("\(certificatePath): no certificate for the key in \(path)")
    }
    return (found.key, certificate)
  }

  /// The key's certificate, after every check that needs no daemon.
  ///
  /// - Throws: an explanation of the first check that failed.
  func certificate(for found: KeyFile, in path: String) throws(CommandFailure) -> Certificate? {
    let algorithm = KeyAlgorithm.asymmetric(found.key.kind)
    guard role.allows(algorithm) else {
      throw .failed("\(path): a key of role \(role.rawValue) cannot be \(algorithm.name)")
    }
    guard role.isMerchant else { return nil }
    let (candidates, source) = try certificates(found, path)
    guard !candidates.isEmpty else {
      try checkOwner(path)
      return nil
    }
    guard let certificate = candidates.first(where: { $0.spki == found.key.spki }) else {
      throw .failed("\(source): the certificate is for another key than the one in \(path)")
    }
    try check(certificate, source)
    return certificate
  }

  /// The certificate of a key that comes in a block; the daemon checks whether it is for the key.
  func certificate(forBlockIn path: String) throws(CommandFailure) -> Certificate? {
    guard role.isMerchant else { return nil }
    guard let certificatePath else {
      try checkOwner(path)
      return nil
    }
    guard let certificate = try KeyFile.certificates(certificatePath).first else {
      throw .failed("\(certificatePath): no certificate in it")
    }
    try check(certificate, certificatePath)
    return certificate
  }

  private func checkOwner(_ path: String) throws(CommandFailure) {
    guard merchant != nil else {
      throw .failed(
        "\(path): no certificate says whose key this is; give --certificate or --merchant-id")
    }
  }

  /// The certificates in the file of `--certificate`, else those in the key's own file.
  private func certificates(_ found: KeyFile, _ path: String) throws(CommandFailure) -> (
    [Certificate], String
  ) {
    guard let certificatePath else { return (found.certificates, path) }
    let certificates = try KeyFile.certificates(certificatePath)
    guard !certificates.isEmpty else { throw .failed("\(certificatePath): no certificate in it") }
    return (certificates, certificatePath)
  }

  /// Checks the merchant, whom the certificate names twice, and perhaps the operator, too.
  private func check(_ certificate: Certificate, _ source: String) throws(CommandFailure) {
    guard certificate.hasExtension(.appleMerchantIdentifier) else {
      throw .failed(
        "\(source): the certificate has no merchant identifier (extension \(OID.appleMerchantIdentifier)); is it Apple's for a merchant?"
      )
    }
    guard let uid = certificate.subjectUID else {
      throw .failed(
        "\(source): the certificate's subject has no UID, which should be the merchant identifier")
    }
    let certified: MerchantIdentifier
    do throws(CryptoError) { certified = try MerchantIdentifier(certificate) } catch {
      throw .failed(
        "\(source): the certificate's merchant identifier (extension \(OID.appleMerchantIdentifier)) is not SHA-256 of its subject's UID \(uid)"
      )
    }
    guard merchant == nil || merchant == certified else {
      throw .failed(
        "\(source): the certificate is for merchant \(certified.text), not for \(merchant?.text ?? "")"
      )
    }
  }
}

extension OTPParameters {
  /// The options of `kist key import` for one-time values.
  fileprivate init(_ arguments: Arguments) throws(CommandFailure) {
    self.init()
    keySet = arguments.value("key-set") ?? ""
    keyAlias = arguments.value("key-alias") ?? ""
    digits = try arguments.number("digits", in: 6...8) ?? 0
    step = try arguments.number("step", in: 1...3600) ?? 0
    window = try arguments.number("window", in: 0...100)
    failures = try arguments.number("failures", in: 1...100) ?? 0
    lockout = try arguments.number("lockout", in: 1...86_400) ?? 0
    guard let name = arguments.value("hash") else { return }
    guard let found = OTPHashName(name: name) else {
      throw .usage("unknown hash '\(name)'; there are sha1, sha256 and sha512")
    }
    hash = found
  }
}
