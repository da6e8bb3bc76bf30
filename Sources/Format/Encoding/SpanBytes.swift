extension Span where Element == UInt8 {
  /// A copy of public bytes; secrets must be copied into a `SecretBuffer` instead.
  package var array: [UInt8] {
    var copy: [UInt8] = []
    copy.reserveCapacity(count)
    for i in indices { copy.append(self[i]) }
    return copy
  }
}
