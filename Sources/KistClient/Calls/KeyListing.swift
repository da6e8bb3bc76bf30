import Format

extension Client {
  /// The keys this caller may list, by label.
  ///
  /// - Parameters:
  ///   - prefix: only labels that begin so.
  ///   - pattern: only labels that this covers, as policy would: a label, or one that ends in `/*`.
  ///     Empty for all.
  public func listKeys(prefix: String = "", pattern: String = "") throws(ClientError) -> [Key] {
    var keys: [Key] = []
    while true {
      let request = ListKeysRequest(prefix: prefix, after: keys.last?.label ?? "", pattern: pattern)
      let reply = try call(.listKeys, request)
      let page = try ListKeysReply(reply)
      for key in page.keys {
        // [OP-LIST-1]; if the labels did not ascend, the listing might never end.
        guard keys.last.map({ $0.label.utf8.lexicographicallyPrecedes(key.label.utf8) }) ?? true
        else { throw reply.malformed }
        keys.append(Key(key))
      }
      guard page.more, !page.keys.isEmpty else { return keys }
    }
  }

  /// The one key whose label `pattern` covers, such as `merchant/acme/processing-2026` or
  /// `merchant/acme/*`; destroyed keys are passed over.
  ///
  /// - Throws: `KeySearchError.none`, `.several`, or `.failed` with why the daemon could not be
  ///   asked.
  public func findKey(_ pattern: String) throws(KeySearchError) -> Key {
    let found: [Key]
    do throws(ClientError) {
      guard !pattern.isEmpty else { throw .request("a pattern of labels is not empty") }
      found = try listKeys(pattern: pattern).filter { $0.state != "destroyed" }
    } catch { throw .failed(error) }
    guard let key = found.first else { throw .none(pattern) }
    guard found.count == 1 else { throw .several(pattern, labels: found.map(\.label)) }
    return key
  }
}

/// Why one key could not be found by its label.
public enum KeySearchError: Error, Hashable {
  /// No key has such a label, or this caller may list none that has.
  case none(String)
  /// Several keys have such labels.
  case several(String, labels: [String])
  case failed(ClientError)
}

extension KeySearchError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .none(let pattern):
      "no key has the label '\(pattern)', or policy lets you list none that has"
    case .several(let pattern, let labels):
      "'\(pattern)' covers several keys: \(labels.joined(separator: ", "))"
    case .failed(let error): error.description
    }
  }
}
