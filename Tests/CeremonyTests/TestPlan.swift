import Ceremony
import Configuration
import Crypto

/// Ceremony files for tests: parts that are good, and whatever is put in their place.
struct TestPlan {
  var head = """
    id = "acme-2026-1"
    purpose = "The first key store of Acme"
    date = "2026-12-01"
    store = "/state/keys"
    software = ["\(String(repeating: "ab", count: 32))  /usr/bin/kist", "\(String(repeating: "cd", count: 32))  /usr/lib/libc.so.6"]
    witness_quorum = 1

    """
  var people = """
    [[person]]
    name = "alice"
    roles = ["administrator"]
    [[person]]
    name = "bob"
    roles = ["operator", "custodian"]
    [[person]]
    name = "carol"
    roles = ["custodian"]
    [[person]]
    name = "dave"
    roles = ["custodian"]
    [[person]]
    name = "wendy"
    roles = ["witness"]
    key = "\(Self.witnessKey)"

    """
  var steps = [Self.initialise]

  static let witnessKey =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea"
  static let initialise =
    "kind = \"initialise\"\nthreshold = 2\ncustodians = [\"bob\", \"carol\", \"dave\"]"
  static let unlock = "kind = \"unlock\"\nwith = \"shares\""
  static let merchantKey = """
    kind = "generate"
    label = "merchant/acme/processing-2026"
    role = "merchant-processing-ec"
    algorithm = "P-256"
    merchant = "merchant.com.acme"
    pre_active = true
    public = "acme-processing.pem"
    """

  // Components: their check values, and that of their XOR, by pyca/cryptography's CMAC.
  static let components = [
    "carol": (
      digits: "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F",
      check: "377822C093"
    ),
    "dave": (
      digits: "ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100",
      check: "37702946DE"
    ),
  ]
  static let destroying = "kind = \"destroy\"\nlabel = \"merchant/acme/processing-2026\""
  static let resharing = "kind = \"reshare\"\nthreshold = 2\ncustodians = [\"dave\", \"bob\"]"

  static let rotating =
    "kind = \"rotate-kek\"\nthreshold = 2\ncustodians = [\"carol\", \"dave\", \"bob\"]"

  static let backingUp = "kind = \"back-up\"\ndirectory = \"/media/copy\""

  static func restoring(_ digest: String = String(repeating: "0", count: 64)) -> String {
    "kind = \"restore\"\ncopy = \"/media/copy\"\nsha256 = \"\(digest)\"\nwith = \"shares\""
  }

  static func importing(_ kcv: String = "1CF741727C", role: String = "sealing") -> String {
    "kind = \"import-components\"\nlabel = \"data/exchanged\"\nrole = \"\(role)\"\ncustodians = [\"carol\", \"dave\"]\nkcv = \"\(kcv)\""
  }

  /// Of `merchantKey`.
  static let requesting = """
    kind = "certificate-request"
    label = "merchant/acme/processing-2026"
    request = "acme.csr"
    organization = "Acme Inc."
    country = "US"
    """

  /// - Parameter certificate: at `/media/certificate`.
  static func attaching(_ certificate: [UInt8], label: String = "merchant/acme/processing-2026")
    -> String
  {
    "kind = \"attach-certificate\"\nlabel = \"\(label)\"\ncertificate = \"/media/certificate\"\nsha256 = \"\(SHA256.hash(certificate).hex)\""
  }

  /// - Parameter file: at `/media/key`.
  static func importing(file: [UInt8], role: String = "signing-ecdsa") -> String {
    """
    kind = "import-file"
    label = "data/signing"
    role = "\(role)"
    file = "/media/key"
    sha256 = "\(SHA256.hash(file).hex)"
    custodian = "carol"
    """
  }

  /// Of `data/exchanged`.
  static let exchangeCheck = "1CF741"

  static func exporting(_ label: String = "data/out", under exchange: String = "data/exchanged")
    -> String
  {
    "kind = \"export-block\"\nlabel = \"\(label)\"\nunder = \"\(exchange)\"\nunder_kcv = \"\(exchangeCheck)\"\nblock = \"out.kb\""
  }

  /// - Parameter block: at `/media/block`.
  static func importing(
    block: [UInt8], under exchange: String = "data/exchanged", role: String = "sealing",
    _ more: String = ""
  ) -> String {
    """
    kind = "import-block"
    label = "data/in"
    role = "\(role)"
    under = "\(exchange)"
    under_kcv = "\(exchangeCheck)"
    file = "/media/block"
    sha256 = "\(SHA256.hash(block).hex)"
    \(more)
    """
  }

  static func generate(_ label: String, _ role: String, _ algorithm: String, _ more: String = "")
    -> String
  {
    "kind = \"generate\"\nlabel = \"\(label)\"\nrole = \"\(role)\"\nalgorithm = \"\(algorithm)\"\n\(more)"
  }

  init(_ steps: String...) { if !steps.isEmpty { self.steps = steps } }

  var text: String { head + people + steps.map { "[[step]]\n\($0)\n" }.joined() }

  func decoded() throws -> CeremonyPlan {
    try CeremonyPlan.decode(Array(text.utf8), file: "ceremony.toml")
  }
}
