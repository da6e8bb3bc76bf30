internal import Format

/// For a `switch` over the names of members, of at most sixteen bytes.
///
/// It is inlined, so that the compiler computes the number of a literal; from another module it would not be.
@inline(always) func ~= (text: String, name: CanonicalJSONName) -> Bool {
  guard name.place.count == text.utf8.count else { return false }
  var head: UInt128 = 0
  for byte in text.utf8 { head = (head &<< 8) | UInt128(byte) }
  return name.head == (head &<< UInt128(128 - 8 * text.utf8.count))
}
