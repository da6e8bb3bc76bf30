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

  mutating func element(_ name: StaticString, _ body: (inout HTMLText) -> Void) { element(name, [], body) }

  /// The list of sections, each with its number of rows.
  mutating func contents(_ sections: [ReviewSection]) {
    element("nav", [("aria-label", "Sections")]) { page in
      page.element("ol") { page in
        for section in sections {
          page.element("li") { page in
            page.element("a", [("href", "#" + section.id)], section.title)
            page.element("span", [("class", "count")], section.rows.isEmpty ? "none" : String(section.rows.count))
          }
        }
      }
    }
  }
}
