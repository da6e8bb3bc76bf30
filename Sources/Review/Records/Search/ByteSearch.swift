import CLinux

/// Searching bytes as fast as the C library does; a log is some hundreds of megabytes.
enum ByteSearch {
  /// The first newline at or after `start`.
  static func newline(in bytes: Span<UInt8>, from start: Int) -> Int? {
    find([0x0A], in: bytes, from: start)
  }

  static func contains(_ needle: [UInt8], in bytes: Span<UInt8>) -> Bool {
    find(needle, in: bytes, from: 0) != nil
  }

  private static func find(_ needle: [UInt8], in bytes: Span<UInt8>, from start: Int) -> Int? {
    let rest = bytes.extracting(start..<bytes.count)
    let place = unsafe rest.withUnsafeBytes { rest in
      unsafe needle.withUnsafeBytes {
        unsafe kist_find(rest.baseAddress, rest.count, $0.baseAddress, $0.count)
      }
    }
    return place < 0 ? nil : start + place
  }
}
