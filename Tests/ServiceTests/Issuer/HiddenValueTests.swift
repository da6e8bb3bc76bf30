import Format
import Operations
import Policy
import ServiceHarness
import TestSupport
import Testing

/// What two answers about one hidden value have in common: see "What answers give away" in
/// docs/THREATS.md.
@Suite struct HiddenValueTests {
  @Test("two passes, and the number in them for a network's key, have nothing in common")
  func passes() throws {
    let scene = try HiddenNumberScene()
    let passes = try (0..<2).map { _ in
      try scene.provision(.encryptedAccountNumber, networkKey: "network")
    }
    let numbers = try passes.map {
      try #require($0.split(separator: "\"").first { $0.hasPrefix("eyJ") }).split(
        separator: ".", omittingEmptySubsequences: false)
    }
    #expect(numbers[0].count == 5 && numbers[0][0] != numbers[1][0], "an ephemeral key of its own")
    #expect(numbers[0][3] != numbers[1][3])
    #expect(
      try passes.map(scene.openedByNetwork)
        == [String](repeating: scene.openedByNetwork(passes[0]), count: 2))
  }

  @Test("[OP-OTP-1] two of Visa's values over a hidden number differ from the first block on")
  func visa() throws {
    let scene = try HiddenNumberScene()
    let values = try (0..<2).map { _ in
      try scene.sign("visa", .envelope).otp.dropFirst("MBPAD-1-FK-123456.1--TDEA-".count)
    }
    #expect(values[0].count == values[1].count && values[0].prefix(16) != values[1].prefix(16))
  }

  @Test("[OP-ENV-2] two envelopes of one PAN have their sizes in common") func envelopes() throws {
    let scene = try StandInScene()
    let envelopes = try (0..<2).map { _ in try #require(scene.envelope().bytes) }
    #expect(
      envelopes[0].count == envelopes[1].count && envelopes[0].suffix(16) != envelopes[1].suffix(16)
    )
  }

  @Test(
    "[OP-PARTNER-4] two JWEs of one payment have their sizes in common",
    arguments: PartnerScene.keys) func partners(_ key: String) throws
  {
    let scene = try PartnerScene(to: "partner/" + key)
    let texts = try (0..<2).map { _ in
      let body = try scene.reply().body
      let reply = try OpenPaymentTokenReply(MessageReader(body.span))
      return String(decoding: reply.jwe.array, as: UTF8.self).split(
        separator: ".", omittingEmptySubsequences: false)
    }
    #expect(
      texts[0].map(\.count) == texts[1].map(\.count) && texts[0][3] != texts[1][3]
        && texts[0][4] != texts[1][4])
  }
}
