internal import CChild
internal import Storage

/// Debian's `zstd` as a child that is given two open files and nothing else of ours: no memory, no environment.
///
/// So what expands bytes of others is linked into nothing of Kist.
enum Zstandard {
  static func compress(_ plain: Int32, into file: Int32) throws(DiskError) { try run("-qc", plain, file, .max) }

  /// - Parameter limit: in bytes.
  /// - Throws: `DiskError.damaged` for what is no whole Zstandard frame (RFC 8878), or more bytes than that.
  static func expand(_ compressed: Int32, into file: Int32, limit: Int) throws(DiskError) { try run("-dqc", compressed, file, limit) }

  private static func run(_ options: String, _ input: Int32, _ output: Int32, _ limit: Int) throws(DiskError) {
    switch unsafe kist_filter("/usr/bin/zstd", options, input, output, limit) {
    case 0: return
    case 127: throw .notInstalled
    default: throw .damaged
    }
  }
}
