extension String {
  /// The name that was probably meant: at most a third of the letters are wrong, missing, added or
  /// swapped with a neighbour.
  package func nearest(among names: [String]) -> String? {
    let typed = Array(utf8)
    guard (2...64).contains(typed.count) else { return nil }
    let distances = names.map { (name: $0, distance: Self.distance(typed, Array($0.utf8))) }
    guard let best = distances.min(by: { $0.distance < $1.distance }),
      best.distance <= max(1, typed.count / 3)
    else { return nil }
    return best.name
  }

  /// The optimal string alignment distance: counts edits of single letters and swaps of neighbours.
  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var rows = [[Int](repeating: 0, count: b.count + 1), Array(0...b.count)]
    for (i, letter) in a.enumerated() {
      var row = [i + 1]
      for (j, other) in b.enumerated() {
        var least = Swift.min(
          row[j] + 1, rows[1][j + 1] + 1, rows[1][j] + (letter == other ? 0 : 1))
        if i > 0, j > 0, letter == b[j - 1], a[i - 1] == other {
          least = Swift.min(least, rows[0][j - 1] + 1)
        }
        row.append(least)
      }
      rows = [rows[1], row]
    }
    return rows[1][b.count]
  }
}
