import Glibc
import Host
import Review

extension Command {
  static let auditTail = Command(
    name: "audit tail",
    summary: "print the last audit records",
    usage: """
      Usage: kist audit tail [DIR] [-n N | --cursor FILE] [-f] [FILTERS]
                  [--json | --csv]

      Prints one line for each record: time, sequence, operation, result, and what
      else the record says. The filters are those of kist audit show.

        -n, --lines N  how many records (default 10)
        -f, --follow   go on printing records as they are written
        --cursor FILE  begin after the record that FILE has, or with the oldest if
                       there is no FILE, and put there the last one: after a kill no
                       record is missing, and the last ones may come again
        --json         the records as they are in the log, one per line
        --csv          comma-separated values, with a heading

      """,
    options: [.value("lines", "n"), .flag("follow", "f"), "cursor"] + RecordFilter.options
      + RecordSearch.Form.options,
    operands: 0...1
  ) { arguments throws(CommandFailure) in
    let directory = arguments.operands.first ?? UsualPlaces.auditLog
    let count = try arguments.number("lines", in: 0...UInt64(UInt32.max)) ?? 10
    let filter = try RecordFilter(arguments)
    let form = try RecordSearch.Form(arguments)
    try Hardening.prepareForPublicData()
    let cursor = arguments.value("cursor")
    guard cursor == nil || arguments.value("lines") == nil else {
      throw .usage("--cursor and --lines exclude each other")
    }
    guard cursor != "-" else { throw .usage("--cursor names a file") }
    let search = try RecordSearch(directory, form, cursor: cursor)
    var place =
      if let cursor { try search.print(filter, from: search.place(of: cursor)) } else {
        try search.print(last: Int(count), filter)
      }
    guard arguments.has("follow") else { return }
    let segments = AuditDirectory.segments(directory)
    var seen = try LogChange(segments)
    while true {
      sleep(1)
      let now = try LogChange(segments)
      guard now != seen else { continue }
      seen = now
      place = try search.print(filter, from: place)
    }
  }
}

/// Tells whether a log may have grown, without reading it.
private struct LogChange: Equatable {
  private let newest: String
  private let seconds, nanoseconds: Int

  init(_ directory: String) throws(CommandFailure) {
    var status = stat()
    do throws(DiskError) {
      newest = try LinuxDisk().list(directory).last { $0.hasSuffix(".log") } ?? ""
    } catch { throw .unreadable(directory, error) }
    _ = unsafe stat(directory + "/" + newest, &status)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}
