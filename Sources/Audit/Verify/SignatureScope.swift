/// Which of a segment's signatures are checked; every checkpoint's name, key, size and root always are.
///
/// The last one's root covers every record before it, and every earlier root is the one that those records give. So an
/// earlier signature says no more of them than since when they have stood there.
package enum SignatureScope: Sendable {
  case every
  case last
}
