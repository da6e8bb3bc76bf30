internal import Audit
internal import Glibc
internal import Storage

extension Command {
  static let auditTail = Command(
    name: "audit tail",
    summary: "print the last audit records",
    usage: """
      Usage: kist audit tail DIR [-n N] [-f] [--json]

      One line for each record: time, sequence, operation, result, and what else the
      record says.

        -n, --lines N  so many records (default 10)
        -f, --follow   go on printing records as they are written
        --json         the records as they stand in the log, one per line

      """,
    options: [.value("lines", "n"), .flag("follow", "f"), .json],
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let directory = arguments.operands[0]
    let count = try arguments.number("lines", in: 0...UInt64(UInt32.max)) ?? 10
    try Hardening.prepareForPublicData()
    let log = AuditRecords(directory, inJSON: arguments.has("json"))
    let end = try log.end()
    var next = try log.print(from: end - min(count, end))
    guard arguments.has("follow") else { return }
    var seen = try LogChange(directory)
    while true {
      sleep(1)
      let now = try LogChange(directory)
      guard now != seen else { continue }
      seen = now
      next = try log.print(from: next)
    }
  }
}

/// What tells that a log may have grown, without reading it.
private struct LogChange: Equatable {
  private let newest: String
  private let seconds, nanoseconds: Int

  init(_ directory: String) throws(CommandFailure) {
    var status = stat()
    do throws(DiskError) {
      newest = try LinuxDisk().list(directory).last { $0.hasSuffix(".log") } ?? ""
    } catch { throw .failed("\(directory): \(SystemError.text(error.errno))") }
    _ = unsafe stat(directory + "/" + newest, &status)
    (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
  }
}
