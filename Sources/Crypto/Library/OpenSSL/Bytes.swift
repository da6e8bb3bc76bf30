extension Span where Element == UInt8 {
  /// Equality for values that are not secret.
  package func elementsEqual(_ other: [UInt8]) -> Bool {
    guard count == other.count else { return false }
    for i in indices where self[i] != other[i] { return false }
    return true
  }

  package func hasPrefix(_ prefix: [UInt8]) -> Bool {
    count >= prefix.count && extracting(0..<prefix.count).elementsEqual(prefix)
  }

  /// A copy, for values that are not secret.
  var array: [UInt8] {
    // All empty arrays share one object, so many threads would write its reference count at once.
    guard !isEmpty else { return [] }
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { out, written in
      for i in indices { unsafe out.initializeElement(at: i, to: self[i]) }
      written = count
    }
  }
}
