import Audit
import Crypto
import Format
import Foundation
import Review
import TestSupport
import Testing

@Suite struct NoteTests {
  init() throws { try #require(TestArena.ready) }

  /// [AUD-CP-1] [AUD-CP-3]
  @Test(.enabled(if: Vectors.present, "vectors are not here"))
  func everyTesseraCheckpointVerifies() throws {
    let folder = Vectors.root.appendingPathComponent("tlog/tessera-log")
    let vkey = try String(contentsOf: folder.appendingPathComponent("vkey.txt"), encoding: .utf8)
    let verifier = try NoteVerifier(vkey: vkey.trimmingCharacters(in: .whitespacesAndNewlines))
    let names = try FileManager.default.contentsOfDirectory(
      atPath: folder.appendingPathComponent("testdata/log").path)
    let notes = names.filter { $0.hasPrefix("checkpoint") }
    #expect(notes.count == 16 || notes.count == 17)
    for name in notes {
      let note = [UInt8](
        try Data(contentsOf: folder.appendingPathComponent("testdata/log/" + name)))
      let head = try SignedCheckpoint(parsing: note.span).head(signedBy: verifier)
      #expect(name == "checkpoint" || name == "checkpoint.\(head.size)")
    }
    #expect(verifier.vkey == vkey.trimmingCharacters(in: .whitespacesAndNewlines))
  }

  private func note() throws -> (NoteSigner, [UInt8]) {
    let signer = try TestLog.signer(seed: 3)
    let head = TreeHead(size: 12, root: SHA256.hash([5]))
    return (signer, try Checkpoint(origin: signer.name, head: head).signed(by: signer))
  }

  /// [AUD-CP-1] [AUD-CP-2]
  @Test func whatIsSignedIsReadBack() throws {
    let (signer, note) = try note()
    let parsed = try SignedCheckpoint(parsing: note.span)
    #expect(
      try parsed.head(signedBy: signer.verifier) == TreeHead(size: 12, root: SHA256.hash([5])))
    #expect(try NoteVerifier(vkey: signer.verifier.vkey).keyID == signer.verifier.keyID)
    #expect(throws: NoteError.signer) {
      try parsed.head(signedBy: TestLog.signer(seed: 4).verifier)
    }
    #expect(throws: NoteError.signer) {
      try parsed.head(signedBy: TestLog.signer(name: "other", seed: 3).verifier)
    }
  }

  /// [AUD-CP-2]
  @Test func everyByteCounts() throws {
    let (signer, note) = try note()
    for i in note.indices {
      for bit in 0..<8 {
        var flipped = note
        flipped[i] ^= 1 << UInt8(bit)
        #expect(throws: NoteError.self, "byte \(i)") {
          try SignedCheckpoint(parsing: flipped.span).head(signedBy: signer.verifier)
        }
      }
      let cut = Array(note[..<i])
      #expect(throws: NoteError.format) { try SignedCheckpoint(parsing: cut.span) }
    }
  }

  @Test(arguments: [
    ("\n12\n", "\n012\n"), ("\n12\n", "\n+12\n"), ("\n12\n", "\n-1\n"), ("\n12\n", "\n\n"),
    ("\n12\n", "\n99999999999999999999\n"),
    ("\n12\n", "\n12 \n"), ("\n\n", "\nextension\n\n"), ("\n\n", "\n"), ("\u{2014} ", "- "),
    ("\u{2014} ", "\u{2014}  "),
    ("=\n\n", "\n\n"), ("\u{2014} kist.test", "\u{2014} {kist.test"),
    ("kist.test/audit\n12", "\n12"),
  ])
  func otherFormsAreRefused(_ from: String, _ to: String) throws {
    let (_, note) = try note()
    let text = String(decoding: note, as: UTF8.self)
    let changed = text.replacingOccurrences(of: from, with: to)
    #expect(changed != text)
    #expect(throws: NoteError.format) { try SignedCheckpoint(parsing: Array(changed.utf8).span) }
    #expect(throws: NoteError.format) {
      try SignedCheckpoint(parsing: Array((text + "\n").utf8).span)
    }
    #expect(throws: NoteError.format) {
      try SignedCheckpoint(parsing: Array((text + text).utf8).span)
    }
  }

  @Test(arguments: [
    "", "{x", "a b", "a+b", "a\nb", "a\tb", "a\u{00A0}b", String(repeating: "x", count: 256),
  ])
  func namesThatNoNoteCanHaveAreRefused(_ name: String) {
    #expect(throws: NoteError.name) { try TestLog.signer(name: name, seed: 1) }
  }

  /// [AUD-CP-3]
  @Test(arguments: [
    "", "kist", "kist+00000000", "kist+zz+AA==",
    "example.com/log/testdata+33d7b497+AeHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx",
    "example.com/log/testdatb+33d7b496+AeHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx",
    "example.com/log/testdata+33D7B496+AeHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx",
    "example.com/log/testdata+33d7b496+AuHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx",
    "example.com/log/testdata+33d7b496+AeHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx+x",
  ])
  func otherKeysAreRefused(_ vkey: String) {
    #expect(throws: NoteError.self) { try NoteVerifier(vkey: vkey) }
  }

  @Test func whoSignsForAWitnessSignsNoNotes() throws {
    let key = try PrivateKey(ed25519Seed: [UInt8](repeating: 7, count: 32).span).publicKey
    let witness = try NoteKey(name: "witness.example", key: key, .cosignature)
    #expect(throws: NoteError.key) { try NoteVerifier(witness) }
    #expect(try NoteVerifier(NoteKey(name: "log.example", key: key, .note)).name == "log.example")
  }
}
