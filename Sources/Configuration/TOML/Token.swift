extension String {
  /// Whether it is printable ASCII without spaces, of 1 to `count` bytes, none of them in `excluded`.
  package func isToken(count: Int, without excluded: String = "") -> Bool {
    (1...count).contains(utf8.count) && utf8.allSatisfy { (0x21...0x7E).contains($0) && !excluded.utf8.contains($0) }
  }
}
