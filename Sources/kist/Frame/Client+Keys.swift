internal import Encoding
internal import KistClient

extension Client {
  /// A key by its label, or by its id in 32 hexadecimal digits; nil where there is none that the caller may see.
  func key(named name: String) throws(ClientError) -> Key? {
    if name.utf8.count == 32, let id = Hex.decode(name) { return try describeKey(id) }
    guard let id = try listKeys(prefix: name).first(where: { $0.label == name })?.id else { return nil }
    return try describeKey(id)
  }
}
