import CChild
import Host

/// Runs Debian's `zstd` as a child that gets two open files and nothing else of ours: no memory, no
/// environment.
///
/// So no code that expands untrusted bytes is linked into Kist.
enum Zstandard {
  static func compress(_ plain: Int32, into file: Int32) throws(DiskError) {
    try run("-qc", plain, file, .max)
  }

  /// - Parameter limit: in bytes.
  /// - Throws: `DiskError.damaged` if it is no whole Zstandard frame (RFC 8878), or expands to more
  ///   than `limit`.
  static func expand(_ compressed: Int32, into file: Int32, limit: Int) throws(DiskError) {
    try run("-dqc", compressed, file, limit)
  }

  private static func run(_ options: String, _ input: Int32, _ output: Int32, _ limit: Int)
    throws(DiskError)
  {
    switch unsafe kist_filter("/usr/bin/zstd", options, input, output, limit) {
    case 0: return
    case 127: throw .notInstalled
    default: throw .damaged
    }
  }
}
