internal import Format
internal import Host

/// What `kist fleet status` reads: how the store is, as JSON that is replaced as a whole.
struct StatusFile {
  private let directory, name: String
  private let disk: any Disk

  init(_ path: String, on disk: any Disk) {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    (directory, name) = (String(path[..<slash]), String(path[slash...].dropFirst()))
    self.disk = disk
  }

  func write(_ report: StoreReport, hasPeer: Bool) throws(DiskError) {
    let text = report.json(hasPeer: hasPeer).serialised + [UInt8(ascii: "\n")]
    try DurableFile.replace(name, in: directory, with: text.span, mode: 0o644, on: disk)
  }
}
