/// A bar chart of counts, with refusals as a darker part of each bar, as inline SVG that screen readers can read.
struct BarChart {
  let id: String
  let title: String
  let bars: [Bar]

  struct Bar {
    let name: String
    let count: Int
    let refused: Int
  }

  private static let (width, height, floor) = (720, 160, 132)

  func write(into page: inout HTMLText) {
    let top = max(1, bars.map(\.count).max() ?? 1)
    let attributes: [(StaticString, String)] = [
      ("viewBox", "0 0 \(Self.width) \(Self.height)"), ("role", "img"), ("aria-labelledby", "\(id)-title \(id)-desc"), ("class", "chart"),
    ]
    page.element("svg", attributes) { page in
      page.element("title", [("id", id + "-title")], title)
      page.element("desc", [("id", id + "-desc")], bars.map { "\($0.name): \($0.count), refused \($0.refused)" }.joined(separator: "; "))
      page.element("text", [("x", "0"), ("y", "12"), ("class", "axis")], String(top))
      page.element("path", [("d", "M0 18H\(Self.width)M0 \(Self.floor)H\(Self.width)"), ("class", "rule")], "")
      for (place, bar) in bars.enumerated() { write(bar, place, top, into: &page) }
    }
  }

  private func write(_ bar: Bar, _ place: Int, _ top: Int, into page: inout HTMLText) {
    let slot = min(64, Self.width / max(1, bars.count))
    let (x, width) = (place * slot, max(1, slot * 3 / 4))
    for (count, style) in [(bar.count, "bar"), (bar.refused, "refused")] where count > 0 {
      let height = max(1, count * (Self.floor - 18) / top)
      page.element("rect", [("x", String(x)), ("y", String(Self.floor - height)), ("width", String(width)), ("height", String(height)), ("class", style)], "")
    }
    // Only as many names as there is room for.
    guard place % (1 + 44 / max(1, slot)) == 0 else { return }
    page.element("text", [("x", String(x)), ("y", String(Self.floor + 16)), ("class", "axis")], bar.name)
  }
}
