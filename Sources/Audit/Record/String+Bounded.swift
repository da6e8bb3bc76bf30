extension String {
  /// The longest prefix of whole code points that fits in `limit` bytes.
  func bounded(_ limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var kept = ""
    var count = 0
    for scalar in unicodeScalars {
      count += UTF8.width(scalar)
      if count > limit { break }
      kept.unicodeScalars.append(scalar)
    }
    return kept
  }
}
