import Configuration
import Testing

@Suite struct NearestNameTests {
  private static let names = ["users", "groups", "units", "operations", "open-payment-token"]

  @Test(
    "a name with a wrong, missing, added or swapped letter is recognised",
    arguments: [
      ("user", "users"), ("usres", "users"), ("groops", "groups"), ("unitss", "units"),
      ("open-paymnet-tokn", "open-payment-token"),
    ])
  func near(_ typed: String, _ meant: String) { #expect(typed.nearest(among: Self.names) == meant) }

  @Test(
    "what is like no name is like none",
    arguments: ["", "u", "stages", "gr", "payment", String(repeating: "u", count: 65)])
  func far(_ typed: String) { #expect(typed.nearest(among: Self.names) == nil) }

  @Test("there is nothing to mean where there are no names") func none() {
    #expect("users".nearest(among: []) == nil)
  }
}
