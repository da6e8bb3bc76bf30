import Crypto
import Format
import KeyStore
import KistClient
import Policy
import Review

extension Command {
  static let inventory = Command(
    name: "inventory",
    summary: "list every key for an auditor",
    usage: """
      Usage: kist inventory [--owners FILE] [--custodians FILE] [--html FILE] [--json]
                            [--socket PATH] [--timeout S]

      Lists every key that policy shows you, what needs attention, and where each
      requirement of PCI DSS 3.6 and 3.7 is answered.

        --owners FILE      lines of a label, or PREFIX/*, and the owner's name; if no
                           line covers a merchant's key, the merchant owns it
        --custodians FILE  the key store's custodians.json: who holds the shares of
                           the key-encryption key
        --html FILE        write one self-contained page for printing; an existing
                           file is replaced, - is standard output
        --json             answer in JSON
        --socket PATH      the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                           /run/kist/admin.sock)
        --timeout S        give up after so many seconds (default: 10)

      """,
    options: ["owners", "custodians", "html", .json], daemon: .operators
  ) { arguments throws(CommandFailure) in
    let page = try arguments.page()
    let owners = try arguments.value("owners").map(KeyOwners.init) ?? .none
    let custody = try arguments.value("custodians").map(register)
    let daemon = try Daemon(arguments)
    let (report, keys) = try daemon.ask((daemon.client.status(), daemon.client.listKeys()))
    let inventory = KeyInventory(
      made: .now, keys: keys.map { KeyInventory.Entry($0, owners) }, place: .init(report),
      custody: custody)
    if let file = page { try Output.write(page: inventory.html, to: file) }
    if arguments.has("json") {
      Output.write(inventory.json)
    } else if page == nil {
      Output.write(inventory.lead + "\n" + inventory.finding + "\n")
      for section in inventory.sections { Output.write("\n\(section.title)\n\(section.text)") }
    }
  }

  private static func register(_ path: String) throws(CommandFailure) -> KeyInventory.Custody {
    let text = try Input(path: path).contents(limit: KeyInventory.Custody.byteLimit)
    do throws(CanonicalJSONError) { return try KeyInventory.Custody(register: text.span) } catch {
      throw .failed("\(path): no register of custodians")
    }
  }
}

extension KeyInventory.Entry {
  fileprivate init(_ key: Key, _ owners: KeyOwners) {
    self.init()
    label = key.label
    id = Hex.encode(key.id)
    role = key.role
    algorithm = key.algorithm
    header = key.usage
    state = key.state
    owner = owners.owner(of: key.label) ?? key.merchantIdentifier
    strength = KeyAlgorithm(name: key.algorithm)?.strength
    check = key.isSymmetric ? .kcv(key.checkText) : .spkiHash(key.checkText)
    created = Self.moment(key.created)
    activated = Self.moment(key.activated)
    notBefore = Self.moment(key.notBefore)
    notAfter = Self.moment(key.notAfter)
    lastUse = Self.moment(key.lastUse)
    uses = Int(clamping: key.uses)
    useLimit = key.useLimit.map { Int(clamping: $0) }
  }

  private static func moment(_ seconds: Int64?) -> Timestamp? {
    seconds.flatMap(Timestamp.init(reported:))
  }
}

extension KeyInventory.Place {
  fileprivate init(_ report: StatusReport) {
    self.init()
    host = HostName.current
    version = report.productVersion
    keyCount = Int(report.keys)
    memory = report.arena
    isRehearsal = report.rehearsal
  }
}

/// The owners of keys: a file whose lines have a key's label, or `PREFIX/*`, and a name; `#` begins
/// a comment.
struct KeyOwners {
  private var rows: [(keys: KeyPattern, owner: String)] = []

  static let none = KeyOwners()

  private init() {}

  init(_ path: String) throws(CommandFailure) {
    let text = String(decoding: try Input(path: path).contents(limit: 1 << 20), as: UTF8.self)
    for (number, line) in text.lines(omittingEmpty: false).enumerated() {
      let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
      guard let first = words.first else { continue }
      guard words.count > 1, let keys = KeyPattern(String(first)) else {
        throw CommandFailure(
          code: 1,
          "\(path):\(number + 1): expected a label or PREFIX/* and a name, such as 'merchant/acme/*  ACME Ltd'",
          isLocated: true)
      }
      rows.append((keys, words.dropFirst().joined(separator: " ")))
    }
  }

  /// The owner in the first line that covers the key.
  func owner(of label: String) -> String? { rows.first { $0.keys.covers(label) }?.owner }
}

extension KeyAlgorithm {
  /// The least security strength of such a key, in bits. SP 800-57 part 1 r5, table 2
  package var strength: Int {
    switch self {
    case .asymmetric(.p256), .asymmetric(.ed25519): 128
    case .asymmetric(.p384): 192
    case .asymmetric(.rsa(bits: let bits)): bits >= 7680 ? 192 : bits >= 3072 ? 128 : 112
    case .hmac, .aes256: 256
    case .tripleDES2: 80
    case .hmacOTP: 128
    }
  }
}
