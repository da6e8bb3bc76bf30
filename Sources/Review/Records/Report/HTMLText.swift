import Format

/// Builds HTML in which text from elsewhere is always escaped.
struct HTMLText {
  private(set) var html = ""

  /// Our own mark-up: a literal, so that nothing from a log can become mark-up.
  mutating func markup(_ markup: StaticString) { html += markup.description }

  /// Adds any text, escaped.
  mutating func text(_ text: String) { html += Self.escaped(text) }

  /// `<name attribute="value">…</name>`.
  mutating func element(
    _ name: StaticString, _ attributes: [(StaticString, String)] = [],
    _ body: (inout HTMLText) -> Void
  ) {
    html += "<" + name.description
    for (name, value) in attributes {
      html += " " + name.description + "=\"" + Self.escaped(value) + "\""
    }
    html += ">"
    body(&self)
    html += "</" + name.description + ">"
  }

  mutating func element(_ name: StaticString, _ text: String) { element(name, [], text) }

  mutating func element(
    _ name: StaticString, _ attributes: [(StaticString, String)], _ text: String
  ) {
    element(name, attributes) { $0.text(text) }
  }

  private static func escaped(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "'": out += "&#39;"
      case _ where Printable.isPrintable(scalar): out.unicodeScalars.append(scalar)
      default: out += Printable.number(scalar)
      }
    }
    return out
  }
}

extension HTMLText {
  /// One self-contained page: no script, and no font or picture from elsewhere.
  static func page(_ title: StaticString, _ body: (inout HTMLText) -> Void) -> String {
    var page = HTMLText()
    page.markup(
      """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
      """)
    page.element("title") { $0.markup(title) }
    page.element("style") { $0.markup(style) }
    page.markup("</head><body><main>")
    page.element("h1") { $0.markup(title) }
    body(&page)
    page.markup("</main></body></html>\n")
    return page.html
  }

  mutating func element(_ name: StaticString, _ body: (inout HTMLText) -> Void) {
    element(name, [], body)
  }

  /// The list of sections, each with its number of rows.
  mutating func contents(_ sections: [ReviewSection]) {
    element("nav", [("aria-label", "Sections")]) { page in
      page.element("ol") { page in
        for section in sections {
          page.element("li") { page in
            page.element("a", [("href", "#" + section.id)], section.title)
            page.element(
              "span", [("class", "count")],
              section.rows.isEmpty ? "none" : String(section.rows.count))
          }
        }
      }
    }
  }
}

extension HTMLText {
  /// Contrast is at least 4.5:1 on white. In print, links look like text and tables repeat their
  /// heads. On a narrow screen a row's first cell has a line of its own.
  static let style: StaticString = """
    :root{color:#1b1f24;background:#fff;font:15px/1.5 system-ui,"DejaVu Sans",Arial,sans-serif}
    main{max-width:60rem;margin:2.5rem auto;padding:0 1.5rem}
    h1{font-size:1.75rem;margin:0}h2{font-size:1.15rem;margin:2.5rem 0 .25rem;padding-top:.75rem;border-top:1px solid #d0d7de}
    h3{font-size:.95rem;margin:1.5rem 0 .25rem}
    .lead{color:#57606a;margin:.25rem 0 1.25rem}.note,.empty{color:#57606a;margin:.25rem 0 .75rem;font-size:.875rem;overflow-wrap:anywhere}
    .finding{padding:.75rem 1rem;border-left:4px solid;font-weight:600;overflow-wrap:anywhere}
    .good{border-color:#1a7f37;background:#eefbf1;color:#116329}.bad{border-color:#cf222e;background:#fff0ee;color:#a40e26}
    .unverified,.end-unknown{border-color:#9a6700;background:#fff8e5;color:#7a5200}
    nav ol{columns:2;padding-left:1.5rem;margin:1rem 0}nav .count{color:#57606a;margin-left:.5rem;font-size:.875rem}
    table{border-collapse:collapse;width:100%;margin:.5rem 0;font-variant-numeric:tabular-nums}
    caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
    th,td{padding:.3rem .75rem .3rem 0;text-align:left;vertical-align:top;border-bottom:1px solid #eaeef2;overflow-wrap:anywhere}
    thead th{color:#57606a;font-size:.8rem;font-weight:600;border-bottom-color:#d0d7de;overflow-wrap:normal}
    tbody th{font-weight:400}.number{text-align:right;padding-right:0;white-space:nowrap;width:6rem}
    a{color:#0550ae}.chart{display:block;width:100%;height:auto;margin:.5rem 0}
    .bar{fill:#8fb4dd}.refused{fill:#a40e26}.axis{font-size:11px;fill:#57606a}.rule{stroke:#d0d7de;fill:none}
    pre{font:12px/1.5 ui-monospace,"DejaVu Sans Mono",monospace;margin:.25rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
    .command{color:#57606a}.lines{background:#f6f8fa;padding:.5rem .75rem;margin:.25rem 0;list-style:none;font:12px/1.5 ui-monospace,"DejaVu Sans Mono",monospace}
    .lines li{padding-left:1.5em;text-indent:-1.5em;overflow-wrap:anywhere}.share{width:9rem;padding:.3rem 0 .3rem 1rem}
    .share svg{width:100%;height:.5rem}
    section:target{outline:2px solid #0550ae;outline-offset:.5rem}
    @media(max-width:40rem){main{padding:0 1rem}nav ol{columns:1}.number{width:auto}
    tr{display:flex;flex-wrap:wrap;border-bottom:1px solid #eaeef2}th,td{flex:1 0 0;border:0;font-size:.85rem}
    tr>:first-child:not(:nth-last-child(2)){flex:0 0 100%;padding-bottom:0}}
    @media print{@page{margin:18mm}:root{font-size:10.5pt}main{max-width:none;margin:0;padding:0}a{color:inherit;text-decoration:none}
    h2,h3,.note,.chart{break-after:avoid}tr,section,.chart,.finding{break-inside:avoid}thead{display:table-header-group}
    .finding,.bar,.refused,.lines{print-color-adjust:exact;-webkit-print-color-adjust:exact}pre,.lines{font-size:8pt}}
    """
}
