import Format
import Review
import Testing

@Suite struct KeyInventoryTests {
  private static let now = Timestamp(seconds: 1_800_000_000)

  private static func key(_ change: (inout KeyInventory.Entry) -> Void = { _ in })
    -> KeyInventory.Entry
  {
    var key = KeyInventory.Entry()
    key.label = "merchant/acme/processing"
    key.id = String(repeating: "ab", count: 16)
    key.owner = "ACME Ltd"
    key.role = "merchant-processing-ec"
    key.algorithm = "P-256"
    key.strength = 128
    key.check = .spkiHash(String(repeating: "cd", count: 32))
    key.header = "K3 E X"
    key.state = "active"
    key.created = Timestamp(seconds: now.seconds - 200_000)
    key.activated = Timestamp(seconds: now.seconds - 100_000)
    key.notAfter = Timestamp(seconds: now.seconds + 90 * 86_400)
    key.uses = 7
    change(&key)
    return key
  }

  private static let register = #"""
    {"hmac":"00","register":{"format":"kist-custodians/v1","group_threshold":1,"groups":[{"shares":[{"fingerprint":"0102030405","name":"Ada","user":"ada"},{"fingerprint":"0102030406","name":"Ben <b>","user":"ben"},{"fingerprint":"0102030407","name":"Cy","user":"cy"}],"threshold":2}],"kek":"08793E25AB","split":7}}
    """#

  private static func custody(_ text: String = register) throws(CanonicalJSONError)
    -> KeyInventory.Custody
  {
    let bytes = Array(text.utf8)
    return try KeyInventory.Custody(register: bytes.span)
  }

  private static func inventory(
    _ keys: [KeyInventory.Entry], has count: Int? = nil, rehearsal: Bool = false,
    custody: KeyInventory.Custody?
  ) -> KeyInventory {
    var place = KeyInventory.Place()
    place.host = "pay-1"
    place.version = "1.0"
    place.memory = "memfd_secret"
    place.keyCount = count ?? keys.count
    place.isRehearsal = rehearsal
    return KeyInventory(made: now, keys: keys, place: place, custody: custody)
  }

  private func attention(_ inventory: KeyInventory) -> [String] {
    guard case .object(let members) = inventory.json,
      case .array(let found)? = members.first(where: { $0.name == "attention" })?.value
    else { return ["?"] }
    return found.map { row in
      guard case .object(let members) = row,
        case .string(let text)? = members.first(where: { $0.name == "what" })?.value
      else { return "?" }
      return text
    }
  }

  private static func ends(_ seconds: Int64) -> (inout KeyInventory.Entry) -> Void {
    { $0.notAfter = Timestamp(seconds: now.seconds + seconds) }
  }

  @Test func aKeyInOrderNeedsNoAttention() throws {
    let custody = try Self.custody()
    let quiet: [(inout KeyInventory.Entry) -> Void] = [
      { _ in }, Self.ends(30 * 86_400), { ($0.strength, $0.algorithm) = (112, "RSA-2048") },
      { ($0.notAfter, $0.state) = (nil, "pre-active") },
      { ($0.notAfter, $0.role) = (nil, "audit-signing") },
      { ($0.state, $0.strength, $0.notAfter) = ("destroyed", 80, Timestamp(seconds: 0)) },
    ]
    for change in quiet {
      let inventory = Self.inventory([Self.key(change)], custody: custody)
      #expect(attention(inventory).isEmpty && inventory.finding == "Nothing needs attention.")
    }
  }

  @Test func aPeriodThatBeginsLaterAndALimitAreShown() throws {
    let key = Self.key {
      ($0.state, $0.activated, $0.notBefore, $0.useLimit) = (
        "pre-active", nil, Timestamp(seconds: Self.now.seconds + 86_400), 9
      )
    }
    let inventory = Self.inventory([key], custody: try Self.custody())
    #expect(inventory.html.contains("not before 2027-01-16") && inventory.html.contains("7 of 9"))
    let json = String(decoding: inventory.json.serialised, as: UTF8.self)
    #expect(
      json.contains(#""not_before":"2027-01-16T08:00:00Z""#) && json.contains(#""use_limit":9"#),
      "\(json)")
  }

  @Test func whatNeedsAttentionIsNamed() throws {
    let custody = try Self.custody()
    let loud: [((inout KeyInventory.Entry) -> Void, String)] = [
      ({ $0.strength = 80 }, "80 bits of security, fewer than 112"),
      ({ $0.strength = nil }, "an algorithm whose strength is not known"),
      (Self.ends(-1), "its period ended on 2027-01-15, and it is active"),
      (Self.ends(0), "its period ends on 2027-01-15"),
      (Self.ends(30 * 86_400 - 1), "its period ends on 2027-02-14"),
      ({ $0.notAfter = nil }, "active, and no end of its period is set"),
    ]
    for (change, text) in loud {
      #expect(attention(Self.inventory([Self.key(change)], custody: custody)) == [text])
    }
    #expect(
      attention(Self.inventory([Self.key()], has: 3, custody: custody)) == [
        #"the daemon has 3 keys and showed 1: list-keys needs a grant for keys = ["*"]"#
      ])
    #expect(
      attention(Self.inventory([Self.key()], rehearsal: true, custody: custody)).map {
        $0.prefix(11)
      } == ["a rehearsal"])
    #expect(attention(Self.inventory([], custody: nil)).map { $0.prefix(12) } == ["no custodian"])
  }

  @Test func theRegisterSaysWhoAndHowMany() throws {
    let custody = try Self.custody()
    #expect(custody.rule == "2 of 3 shares")
    #expect(custody.holdings.map(\.custodian) == ["Ada", "Ben <b>", "Cy"])
    let two = Self.register.replacing(
      "\"group_threshold\":1,\"groups\":[",
      with:
        #""group_threshold":2,"groups":[{"shares":[{"fingerprint":"00","name":"D","user":"d"}],"threshold":1},"#
    )
    #expect(try Self.custody(two).rule == "2 of 2 groups: 1 of 1, 2 of 3 shares")
    for (from, to) in [
      ("v1", "v2"), ("\"kek\"", "\"kex\""), ("\"user\":\"cy\"", "\"user\":1"),
      ("\"threshold\":2", "\"threshold\":\"2\""), ("{\"hmac\"", " {\"hmac\""),
    ] {
      #expect(throws: CanonicalJSONError.self, "\(from)") {
        try Self.custody(Self.register.replacing(from, with: to))
      }
    }
  }

  @Test func thePageIsOneFileInWhichTextIsText() throws {
    let html = Self.inventory(
      [Self.key { $0.owner = "<script>alert(1)</script>" }], custody: try Self.custody()
    ).html
    #expect(html.hasPrefix("<!DOCTYPE html>\n") && html.hasSuffix("</main></body></html>\n"))
    #expect(
      html.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && !html.contains("<script")
        && !html.contains("Ben <b>"))
    for needle in [
      "default-src 'none'", "merchant/acme/processing", "K3 E X", "SPKI SHA-256", "2 of 3 shares",
      "3.7.6", "Nothing needs attention.",
      "P-256, 128 bits (quantum: 0)", "1 of them are pairs",
    ] {
      #expect(html.contains(needle), "\(needle)")
    }
    for needle in ["http:", "https:", "src=", "<link"] {
      #expect(!html.contains(needle), "\(needle)")
    }
  }

  @Test func everyRequirementHasAnAnswer() throws {
    for custody in [nil, try Self.custody()] {
      for keys in [[], [Self.key()]] {
        let section = try #require(Self.inventory(keys, custody: custody).sections.last)
        #expect(section.id == "requirements" && section.rows.count == 12)
        let text = Self.inventory(keys, custody: custody).json.serialised
        #expect(throws: Never.self) { try CanonicalJSON(parsing: text.span, byteLimit: 1 << 16) }
        for row in section.rows {
          #expect(row.count == 3 && row.allSatisfy { !$0.text.isEmpty }, "\(row.first?.text ?? "")")
        }
      }
    }
  }
}
