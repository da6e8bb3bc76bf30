// The only bridge from spans to C. A pointer is valid while the span's owner lives, so it is taken only from parameters and from
// owners that are used again after the call. It is never null, because some OpenSSL functions take a null pointer to mean
// "not given".

nonisolated(unsafe) let nothing: UnsafeMutablePointer<UInt8> = {
  let byte = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
  unsafe byte.initialize(to: 0)
  return unsafe byte
}()

extension Span where Element == UInt8 {
  @unsafe package var start: UnsafePointer<UInt8> {
    unsafe withUnsafeBufferPointer { bytes in unsafe bytes.baseAddress ?? UnsafePointer(nothing) }
  }
}

extension MutableSpan where Element == UInt8 {
  @unsafe package var mutableStart: UnsafeMutablePointer<UInt8> {
    mutating get { unsafe withUnsafeMutableBufferPointer { bytes in unsafe bytes.baseAddress ?? nothing } }
  }
}
