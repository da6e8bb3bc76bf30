package import Configuration
internal import Format
internal import KeyStore

/// Writes the request to Apple for the certificate of a merchant's key: PKCS #10, signed with the key.
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
      text.utf8.count == 2 && text.utf8.allSatisfy((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains) ? text : nil
    }
    fileName = try table.required("request", "the name of the file to make").outputName(ending: ".csr")
  }

  package var outputs: [String] { [fileName] }
  package var readBacks: [ReadBack] { [.key(label)] }

  package func check(after earlier: inout PlannedKeys, _ table: TOMLTable) throws(ConfigurationError) {
    guard !earlier.isUncertified(label) else {
      throw table.error("Apple certifies no key like \"\(label)\"; expected a merchant's on P-256, or RSA-2048")
    }
  }

  package var script: [String] {
    ["\(label): its check value is read back", "the request for its certificate, with the subject that Apple wants, goes to \(fileName)"]
  }

  package func check(_ records: inout RecordCursor) throws(RecordCursor.End) {
    try records.readBack(.key(label))
    try records.output(fileName)
  }

  package func run(_ room: CeremonyRoom) throws(CeremonyError) {
    let store = try room.openStore()
    guard let record = store.record(labelled: label), record.state != .destroyed else { throw .refused(.keyAbsent) }
    try room.readBack(.key(label), record.check.text)
    let request: [UInt8]
    do throws(KeyStoreError) {
      request = try store.certificateRequest(for: label, organization: organization, country: country, at: room.now)
    } catch { throw .keyStore(error) }
    try room.write(fileName, Array(PEM.text("CERTIFICATE REQUEST", request).utf8))
  }
}
