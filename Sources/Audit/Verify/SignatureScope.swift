/// Which of a segment's signatures are verified; every checkpoint's name, key, size and root always are.
///
/// The last checkpoint's root covers every record before it, and every earlier root is recomputed from those records. So an earlier
/// signature adds only that the records existed when it was made.
package enum SignatureScope: Sendable {
  case every
  case last
}
