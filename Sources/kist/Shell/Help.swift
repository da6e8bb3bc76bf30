/// The overviews, made from the table; each command's own help is formatted by hand in the command's file.
enum Help {
  static var overview: String {
    """
    Usage: kist NOUN VERB [OPTIONS]

    The operator's command for the kist key daemon.

    \(list(CommandTable.rows))
    kist NOUN VERB --help describes one command. Exit codes: 0 done, 1 refused or
    failed, 2 not understood.

    """
  }

  /// The commands of one noun, or nil if there are none.
  static func noun(_ noun: String) -> String? {
    let rows = CommandTable.rows.filter { $0.name.hasPrefix(noun + " ") }
    return rows.isEmpty ? nil : "Usage: kist \(noun) VERB [OPTIONS]\n\n\(list(rows))"
  }

  private static func list(_ rows: [Command]) -> String {
    var table = Table()
    for row in rows { table.add(["  kist " + row.name, row.summary]) }
    return table.text
  }
}
