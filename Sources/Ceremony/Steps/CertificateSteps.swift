package import Configuration
import Crypto
import Format
import Host
import KeyStore

/// Writes the request to Apple for the certificate of a merchant's key: PKCS #10, signed with the
/// key.
package struct CertificateRequestStep: CeremonyStep {
  package static let kind = "certificate-request"
  let label: KeyLabel
  private let organization, country: String?
  private let fileName: String

  package init(_ table: TOMLTable, _: People) throws(ConfigurationError) {
    label = try table.label("label", "the label of a merchant's key")
    organization = try table.optional("organization")?.text("a printable name of 1 to 64 bytes") {
      (1...64).contains($0.utf8.count) && Printable.isLine($0) ? $0 : nil
    }
    country = try table.optional("country")?.text("two capital letters, such as \"US\"") { text in
      text.utf8.count == 2 && text.utf8.allSatisfy((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains)
        ? text : nil
    }
    fileName = try table.required("request", "the name of the file to make").outputName(
      ending: ".csr")
  }

  package var outputs: [String] { [fileName] }
  package var readBacks: [ReadBack] { [.key(label)] }

  package func check(after earlier: inout PlannedKeys, _ table: TOMLTable)
    throws(ConfigurationError)
  {
    guard !earlier.isUncertified(label) else {
      throw table.error(
        "Apple certifies no key like \"\(label)\"; expected a merchant's on P-256, or RSA-2048")
    }
  }

  package var script: [String] {
    [
      "\(label): its check value is read back",
      "the request for its certificate, with the subject that Apple wants, goes to \(fileName)",
    ]
  }

  package func check(_ records: inout RecordCursor) throws(RecordCursor.End) {
    try records.readBack(.key(label))
    try records.output(fileName)
  }

  package func run(_ room: CeremonyRoom) throws(CeremonyError) {
    let store = try room.openStore()
    try room.readBackKey(label)
    let request = try onStore(
      store.certificateRequest(
        for: label, organization: organization, country: country, at: room.now))
    try room.write(fileName, Array(PEM.text("CERTIFICATE REQUEST", request).utf8))
  }
}

/// Puts the certificate that Apple made beside the merchant's key that it is for.
package struct AttachCertificateStep: CeremonyStep {
  package static let kind = "attach-certificate"
  let label: KeyLabel
  private let file: BroughtFile

  package init(_ table: TOMLTable, _: People) throws(ConfigurationError) {
    label = try table.label("label", "the label of a merchant's key")
    file = try BroughtFile(table, "certificate", "where Apple's certificate is")
  }

  package var readBacks: [ReadBack] { [.key(label)] }

  package func check(after earlier: inout PlannedKeys, _ table: TOMLTable)
    throws(ConfigurationError)
  {
    // The certificate of a key that is made now can only come later.
    guard !earlier.makes(label) else {
      throw table.error(
        "\"\(label)\" is made in an earlier step; expected a key that Apple has made a certificate for"
      )
    }
  }

  package var script: [String] {
    [
      "\(label): its check value is read back",
      "the certificate in \(file.path) is put beside it: it must be for this key, and name its merchant",
      file.script,
    ]
  }

  package func check(_ records: inout RecordCursor) throws(RecordCursor.End) {
    let value = try records.readBack(.key(label))
    if records.kind == .production { try file.check(&records) }
    let digest = try records.fact(Subject.certificate(of: label))
    guard let certificate = Digest256(hex: digest) else {
      throw records.fault("the certificate's SHA-256")
    }
    try records.change(.key(label)) {
      $0.contains(", check value \(value)") && $0.hasSuffix(StoreInventory.text(certificate))
    }
  }

  package func run(_ room: CeremonyRoom) throws(CeremonyError) {
    let store = try room.openStore()
    let record = try room.readBackKey(label)
    let certificate =
      room.kind == .production ? try read(room) : try TestCertificate.make(for: record, room)
    let digest = SHA256.hash(certificate.der)
    try room.record(.fact(subject: Subject.certificate(of: label), value: digest.hex))
    var inventory = try StoreInventory(store)
    inventory.attach(digest, to: label)
    try room.change(
      .key(label), to: inventory,
      onStore(store.attach(certificate, to: record.id, anchor: store.anchor)))
    try room.tell("  \(label) has its certificate: \(Self.text(certificate))")
  }

  private func read(_ room: CeremonyRoom) throws(CeremonyError) -> Certificate {
    // The file named by mistake may be a private key.
    let pem = try file.readSecret(limit: PrivateKeyFile.maximumSize, room)
    do throws(KeyFileError) {
      let found = try PrivateKeyFile.decode(pem.bytes, passphrase: nil).certificates
      if let certificate = found.first, found.count == 1 { return certificate }
    } catch { throw .keyFile(error) }
    throw .refused(.notOneCertificate)
  }

  private static func text(_ certificate: Certificate) -> String {
    "SHA-256 \(SHA256.hash(certificate.der).hex), valid from \(certificate.notBefore.wholeSeconds) to \(certificate.notAfter.wholeSeconds)"
  }
}

/// In a rehearsal, a certificate for a test key in place of Apple's.
enum TestCertificate {
  static func make(for record: KeyRecord, _ room: CeremonyRoom) throws(CeremonyError) -> Certificate
  {
    guard let merchant = record.merchant, case .spki(let spki) = record.check else {
      throw .keyStore(.importRefused(.notMerchants))
    }
    try room.tell("  REHEARSAL: a test certificate stands in for the one in the file")
    let now = room.now
    let builder = CertificateBuilder(
      subject: [.userID(merchant.text), .commonName("REHEARSAL")], serial: 1, notBefore: now,
      notAfter: now.adding(seconds: 86_400), extensions: [.merchantIdentifier(hash: merchant.hash)])
    return try onCrypto(
      builder.issue(for: PublicKey(spki: spki), by: nil, signedWith: PrivateKey.generate(.p256)))
  }
}
