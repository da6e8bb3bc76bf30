import CConstantTime
import Host

/// A secret as valgrind sees one: every branch and address that depends on it is reported.
func secret(_ bytes: some Collection<UInt8>) throws -> SecretBuffer {
  var buffer = try SecretBuffer(count: bytes.count)
  var out = buffer.mutableBytes
  for (i, byte) in bytes.enumerated() { out[i] = byte }
  unsafe out.withUnsafeMutableBytes { raw in unsafe kist_mark_secret(raw.baseAddress, raw.count) }
  return buffer
}

func secret(_ text: String) throws -> SecretBuffer { try secret(Array(text.utf8)) }

/// Marks `part` of a text as secret and leaves the rest of it known, such as JSON around a value.
func secret(_ part: String, in text: String) throws -> SecretBuffer {
  var buffer = try SecretBuffer(count: text.utf8.count)
  var out = buffer.mutableBytes
  for (i, byte) in text.utf8.enumerated() { out[i] = byte }
  for range in text.ranges(of: part) {
    let start = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
    unsafe out.withUnsafeMutableBytes { raw in
      unsafe kist_mark_secret(
        UnsafeMutableRawBufferPointer(rebasing: raw[start...]).baseAddress, part.utf8.count)
    }
  }
  return buffer
}

/// What a case has made, which may now be known: compares it with what was to come out.
func expect(_ found: Span<UInt8>, _ text: String) {
  let bytes = (0..<found.count).map { UInt8(kist_declassified_number(UInt64(found[$0]))) }
  guard bytes == Array(text.utf8) else {
    fatalError("the case came to \(String(decoding: bytes, as: UTF8.self)), not to \(text)")
  }
}
