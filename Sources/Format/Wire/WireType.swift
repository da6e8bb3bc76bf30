/// The form of a field's value, in the low three bits of its tag.
enum WireType: UInt32 {
  case varint = 0
  case lengthDelimited = 2
}
