import Audit
import Format
import KeyStore
import ServiceHarness
import TestSupport
import Testing

/// `tokenise`, `detokenise` and `open-envelope` of a PAN alone, from their bytes to their records.
@Suite struct StandInTests {
  @Test("[OP-SURR-1] [OP-SURR-5] a PAN becomes a surrogate, and that the PAN") func surrogate()
    throws
  {
    let scene = try StandInScene()
    let surrogate = try #require(try scene.surrogate().text)
    #expect(surrogate.count == 16 && surrogate.hasSuffix("4320") && surrogate != StandInScene.pan)
    #expect(try scene.surrogate() == .text(surrogate))
    #expect(try scene.pan(ofSurrogate: surrogate) == .text(StandInScene.pan))
  }

  @Test("[OP-SURR-3] merchants and keys have surrogates of their own") func separate() throws {
    let scene = try StandInScene()
    let surrogate = try #require(try scene.surrogate().text)
    #expect(try scene.surrogate(for: "merchant.com.acmf") != .text(surrogate))
    #expect(try scene.surrogate(key: "pan/other-surrogate") != .text(surrogate))
    #expect(
      try scene.pan(ofSurrogate: surrogate, for: "merchant.com.acmf") != .text(StandInScene.pan))
    #expect(
      try scene.pan(ofSurrogate: surrogate, key: "pan/other-surrogate") != .text(StandInScene.pan))
  }

  @Test(
    "[OP-SURR-1] what is no PAN is rejected, by either kind of key",
    arguments: [
      "", "4109370251004321", "410937025100432", "12345678", "4109 3702 5100 4320",
      "41093702510043200000",
    ])
  func noPAN(_ text: String) throws {
    let scene = try StandInScene()
    #expect(try scene.surrogate(of: text) == .refused("pan"))
    #expect(try scene.envelope(of: text) == .refused("pan"))
  }

  @Test("[OP-SURR-1] what goes with one kind of key is rejected with the other") func parameters()
    throws
  {
    let scene = try StandInScene()
    #expect(try scene.surrogate(key: "pan/envelope") == .refused("parameters"))
    #expect(try scene.envelope(key: "pan/surrogate") == .refused("parameters"))
    #expect(try scene.envelope(lifetime: 31_622_401) == .refused("parameters"))
    #expect(try scene.envelope(lifetime: 31_622_400).bytes != nil)
    #expect(try scene.surrogate(for: "") == .refused("parameters"))
    #expect(try scene.surrogate(for: "merchant com") == .refused("parameters"))
    #expect(try scene.surrogate(for: "mérchant") == .refused("parameters"))
    let envelope = try #require(try scene.envelope().bytes)
    #expect(try scene.pan(ofEnvelope: envelope, for: "merchant com") == .refused("parameters"))
  }

  @Test("[OP-SURR-5] what no PAN has for a surrogate is rejected") func noSurrogate() throws {
    let scene = try StandInScene()
    for text in [StandInScene.pan, "123456789", "41093702510043x1"] {
      #expect(try scene.pan(ofSurrogate: text) == .refused("stand-in"))
    }
  }

  @Test(
    "[OP-SURR-10] a merchant's surrogates have the format of kist.toml, another merchant's the usual one"
  ) func format() throws {
    let scene = try StandInScene(
      format: SurrogateFormat(prefix: Array("9".utf8), first: 2, length: 18, luhn: .pass))
    let surrogate = try #require(try scene.surrogate().text)
    #expect(surrogate.count == 18 && surrogate.hasPrefix("941") && surrogate.hasSuffix("4320"))
    #expect(try scene.pan(ofSurrogate: surrogate) == .text(StandInScene.pan))
    #expect(try scene.surrogate(for: "merchant.com.acmf").text?.count == 16)
  }

  @Test(
    "[OP-SURR-11] a PAN that the format leaves out is rejected, and is sealed in an envelope all the same"
  ) func formatLeavesOut() throws {
    let scene = try StandInScene(format: SurrogateFormat(prefix: Array("4".utf8)))
    #expect(try scene.surrogate() == .refused("pan"))
    #expect(try scene.envelope().bytes != nil)
    #expect(try scene.surrogate(of: "5204240250003931").text?.hasPrefix("4") == true)
  }

  @Test("[OP-SURR-5] [OP-SURR-12] what is not of the merchant's format is rejected")
  func notOfTheFormat() throws {
    let scene = try StandInScene(format: SurrogateFormat(prefix: Array("9".utf8), length: 19))
    let surrogate = try #require(try scene.surrogate().text)
    for wrong in [
      String(surrogate.dropLast()), "8" + surrogate.dropFirst(), surrogate + "0",
      surrogate.dropLast() + "x", StandInScene.pan,
    ] {
      #expect(try scene.pan(ofSurrogate: wrong) == .refused("stand-in"))
    }
    let usual = try #require(try StandInScene().surrogate().text)
    #expect(try scene.pan(ofSurrogate: usual) == .refused("stand-in"))
  }

  @Test(
    "[OP-ENV-3] [OP-ENV-4] an envelope of a PAN opens for another caller, until its time is over")
  func envelope() throws {
    let scene = try StandInScene(tokenises: [1000], detokenises: [1001])
    let envelope = try #require(try scene.envelope().bytes)
    #expect(try scene.pan(ofEnvelope: envelope) == .refused("denied"))
    #expect(try scene.pan(ofEnvelope: envelope, by: 1001) == .text(StandInScene.pan))
    scene.service.clock.now = TestService.start.adding(seconds: 59)
    #expect(try scene.pan(ofEnvelope: envelope, by: 1001) == .text(StandInScene.pan))
    scene.service.clock.now = TestService.start.adding(seconds: 60)
    #expect(try scene.pan(ofEnvelope: envelope, by: 1001) == .refused("expired"))
  }

  @Test(
    "[OP-ENV-4] another merchant's, transaction's or key's envelope, or an altered one, is rejected"
  ) func bound() throws {
    let scene = try StandInScene()
    let envelope = try #require(try scene.envelope().bytes)
    #expect(try scene.pan(ofEnvelope: envelope, for: "merchant.com.acmf") == .refused("envelope"))
    #expect(
      try scene.pan(ofEnvelope: envelope, transaction: [UInt8](repeating: 0x2B, count: 32))
        == .refused("envelope"))
    #expect(try scene.pan(ofEnvelope: envelope, key: "pan/other-envelope") == .refused("envelope"))
    for place in [0, 1, 8, 9, 16, 17, 18, 34, 50, envelope.count - 1] {
      var altered = envelope
      altered[place] ^= 1
      #expect(try scene.pan(ofEnvelope: altered) == .refused("envelope"), "byte \(place)")
    }
    #expect(try scene.pan(ofEnvelope: Array(envelope.dropLast())) == .refused("envelope"))
    #expect(try scene.pan(ofEnvelope: envelope + [0]) == .refused("envelope"))
  }

  @Test(
    "[OP-SURR-8] each way needs its own grant; without one, and with a key of another role, it looks like a missing key"
  ) func rights() throws {
    let scene = try StandInScene(tokenises: [1000], detokenises: [1001])
    #expect(try scene.surrogate(by: 1001) == .refused("denied"))
    let surrogate = try #require(try scene.surrogate().text)
    #expect(try scene.pan(ofSurrogate: surrogate) == .refused("denied"))
    #expect(try scene.pan(ofSurrogate: surrogate, by: 1001) == .text(StandInScene.pan))
    #expect(try scene.surrogate(key: "pan/mac") == .refused("denied"))
    #expect(
      try scene.pan(ofSurrogate: surrogate, key: "pan/envelope", by: 1001) == .refused("denied"))
    #expect(
      try scene.pan(ofEnvelope: scene.envelope().bytes ?? [], key: "pan/surrogate", by: 1001)
        == .refused("denied"))
    #expect(try scene.surrogate(key: "pan/nothing") == .refused("denied"))
    let narrow = try StandInScene(keys: ["pan/envelope"])
    #expect(try narrow.surrogate() == .refused("denied"))
    #expect(try narrow.envelope().bytes != nil)
  }

  @Test("[OP-SURR-8] a retired key makes nothing new, and undoes what it made") func retired()
    throws
  {
    let scene = try StandInScene(retired: ["pan/other-surrogate", "pan/other-envelope"])
    #expect(try scene.surrogate(key: "pan/other-surrogate") == .refused("denied"))
    #expect(try scene.envelope(key: "pan/other-envelope") == .refused("denied"))
    #expect(
      try scene.pan(ofSurrogate: "4109370251004321", key: "pan/other-surrogate")
        != .refused("denied"))
    #expect(try scene.pan(ofEnvelope: [1], key: "pan/other-envelope") == .refused("envelope"))
  }

  @Test("[OP-SURR-9] the record tells PANs and transactions apart, and has neither") func records()
    throws
  {
    let scene = try StandInScene()
    let surrogate = try #require(try scene.surrogate().text)
    let envelope = try #require(try scene.envelope().bytes)
    _ = try scene.surrogate(of: "0123456782")
    _ = try scene.pan(ofSurrogate: surrogate)
    _ = try scene.pan(ofEnvelope: envelope)
    _ = try scene.surrogate(of: "4109370251004321")
    let records = try scene.records().filter {
      [.tokenise, .detokenise, .openEnvelope].contains($0.opcode)
    }
    #expect(
      records.map(\.released) == [
        ["surrogate"], ["envelope"], ["surrogate"], ["dpan"], ["dpan"], [],
      ])
    let pans = records.map(\.inputs.pan)
    try #require(records.count == 6)
    #expect(
      pans[0] != nil && pans[0] == pans[1] && pans[0] == pans[3] && pans[0] == pans[4]
        && pans[2] != nil && pans[2] != pans[0])
    #expect(pans[5] == nil && records[5].stage == "pan")
    #expect(
      records[1].inputs.transaction != nil
        && records[1].inputs.transaction == records[4].inputs.transaction)
    #expect(records[0].inputs.transaction == nil)
    #expect(
      records.map(\.inputs.sealed) == [[], ReleasedFields([.dpan]), [], [], [], []]
        && records.allSatisfy { $0.inputs.envelope == nil })
    let written = try scene.logText()
    for canary in [
      StandInScene.pan, "410937025100", "0123456782", surrogate, Hex.encode(envelope),
      Hex.encode(StandInScene.transaction),
    ] {
      #expect(!written.contains(canary))
    }
  }
}
