internal import Storage

extension Output {
  /// Writes a page to a file, and replaces an existing one.
  static func write(page: String, to path: String) throws(CommandFailure) {
    let slash = path.lastIndex(of: "/")
    let (folder, name) = (slash.map { String(path[..<$0]) } ?? ".", slash.map { String(path[path.index(after: $0)...]) } ?? path)
    let bytes = Array(page.utf8)
    do throws(DiskError) {
      try DurableFile.replace(name, in: folder.isEmpty ? "/" : folder, with: bytes.span, on: LinuxDisk())
    } catch { throw .failed("\(path): \(error.text)") }
  }
}
