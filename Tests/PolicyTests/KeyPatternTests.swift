import Policy
import Testing

@Suite struct KeyPatternTests {
  @Test(arguments: [
    "a", "merchant/acme/processing-2026", "merchant/*", "*", "a/b_c.d@e/*",
    String(repeating: "a", count: 128),
  ])
  func takes(_ text: String) {
    #expect(KeyPattern(text)?.description == text)
  }

  @Test(arguments: [
    "", "/", "/a", "a/", "a//b", "a/*/b", "*a", "a*", "a/b*", "**", "a b", "a/../b", ".", "..",
    "a/./b", "é", "a\n", "a\\b", "\"", "/*",
    String(repeating: "a", count: 129),
  ])
  func refuses(_ text: String) {
    #expect(KeyPattern(text) == nil)
  }

  @Test(arguments: [
    ("merchant/*", "merchant/a", true), ("merchant/*", "merchant/a/b/c", true), ("*", "a", true),
    ("*", "a/b", true), ("a/b", "a/b", true),
    ("merchant/*", "merchant", false), ("merchant/*", "merchants/a", false),
    ("a/b", "a/b/c", false), ("a/b", "a", false), ("a/b", "A/b", false),
  ])
  func covers(_ pattern: String, _ label: String, _ expected: Bool) {
    #expect(KeyPattern(pattern)?.covers(label) == expected)
  }
}
