internal import Glibc
internal import Host

extension Output {
  /// Writes a page to a file, and replaces an existing one; `-` is standard output.
  static func write(page: String, to path: String) throws(CommandFailure) {
    let bytes = Array(page.utf8)
    guard path != "-" else { return write(bytes.span) }
    let file = try replaceable(path)
    let slash = file.lastIndex(of: "/")
    let (folder, name) = (slash.map { String(file[..<$0]) } ?? ".", slash.map { String(file[file.index(after: $0)...]) } ?? file)
    do throws(DiskError) {
      try DurableFile.replace(name, in: folder.isEmpty ? "/" : folder, with: bytes.span, on: LinuxDisk())
    } catch { throw .failed("\(path): \(error.text)") }
  }

  /// The file at a path, or behind its links; it may be absent.
  ///
  /// - Throws: for a device, a FIFO or the like: a rename would put a file in its place, for every program on the host.
  private static func replaceable(_ path: String) throws(CommandFailure) -> String {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return path }
    guard let target = unsafe realpath(path, nil) else { throw .failed("\(path): \(SystemError.text(errno))") }
    defer { unsafe free(target) }
    guard unsafe lstat(target, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .failed("\(path): \(DiskError.notRegular.text); - is standard output")
    }
    return unsafe String(cString: target)
  }
}

extension Arguments {
  /// The file of `--html`.
  func page() throws(CommandFailure) -> String? {
    guard value("html") != "-" || !has("json") else { throw .usage("--html - and --json exclude each other") }
    return value("html")
  }
}
