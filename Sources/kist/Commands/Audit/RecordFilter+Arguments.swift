internal import Audit
internal import Crypto
internal import Format
internal import Policy
internal import Review

extension RecordFilter {
  static let options: [Option] = ["since", "until", "user", "unit", "op", "key", "grant", "result", "stage", "digest", "claim", "request"].map { .value($0) }

  init(_ arguments: Arguments) throws(CommandFailure) {
    self.init()
    (since, until) = try arguments.period()
    unit = arguments.value("unit")
    operation = arguments.value("op")
    grant = arguments.value("grant")
    stage = arguments.value("stage")
    request = arguments.value("request").map(RequestName.init)
    user = arguments.value("user").map { text in UInt32(text).map { .number($0) } ?? .name(text) }
    if let name = arguments.value("result") {
      guard Status.allCases.contains(where: { $0.name == name }) else {
        throw .usage("unknown result '\(name)'; there are \(Status.allCases.map(\.name).joined(separator: ", "))")
      }
      result = name
    }
    if let text = arguments.value("key") { key = try Self.key(text) }
    if let text = arguments.value("digest") {
      guard let value = KeyedDigest(text) else { throw .usage("--digest takes hmac-sha256: and 64 digits, as records have them") }
      digest = value
    }
    if let text = arguments.value("claim") {
      guard let value = Digest256(hex: text) else { throw .usage("--claim takes the 64 digits that records of a fleet's hosts have") }
      claim = value
    }
  }

  private static func key(_ text: String) throws(CommandFailure) -> KeyCondition {
    if text.utf8.count == 2 * KeyID.byteCount, let bytes = Hex.decode(text), let id = KeyID(prefixOf: bytes.span) { return .id(id) }
    guard let pattern = KeyPattern(text) else { throw .usage("--key takes a label, a prefix such as merchant/acme/*, or an id, not '\(text)'") }
    return .label(pattern)
  }
}
