import CChild
import Glibc

/// Runs other programs, which get nothing of this process.
enum ChildProcess {
  /// What it said on both outputs, at most 64 KiB, and its exit code, 127 if it cannot be run; nil
  /// if there is no memory for either.
  static func run(_ words: [String]) -> (code: Int32, said: String)? {
    let output = kist_memory_file()
    guard output >= 0 else { return nil }
    defer { close(output) }
    var pointers = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { for place in unsafe pointers.indices { unsafe free(pointers[place]) } }
    let code = unsafe kist_run(&pointers, output)
    guard code >= 0 else { return nil }
    var said = [UInt8](repeating: 0, count: 64 << 10)
    let count = unsafe pread(output, &said, said.count, 0)
    return (code, String(decoding: said.prefix(max(count, 0)), as: UTF8.self))
  }

  /// The path of this program.
  static var own: String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &path, path.count)
    return count > 0
      ? String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
  }
}
