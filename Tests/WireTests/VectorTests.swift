import Format
import TestSupport
import Testing

@Suite("golden vectors")
struct VectorTests {
  @Test(
    "[WIRE-1] [WIRE-2] [WIRE-3] what is accepted has the listed fields and encodes to the same bytes",
    arguments: try WireVector.accepted())
  func accepts(_ vector: WireVector) throws {
    let decoded = try Decoded(vector.subject, vector.bytes)
    #expect(decoded.fields == vector.fields)
    #expect(decoded.bytes == vector.bytes)
  }

  @Test(
    "[WIRE-3] what is refused is refused for the reason it was made for",
    arguments: try WireVector.refused())
  func refuses(_ vector: WireVector) {
    let error = #expect(throws: WireError.self) { try Decoded(vector.subject, vector.bytes) }
    #expect(error.map { .refused($0.vectorName) } == vector.expectation)
  }

  @Test("every message, error and kind of frame is there")
  func coverage() throws {
    let accepted = try WireVector.accepted()
    let refused = try WireVector.refused()
    #expect(accepted.count == 195)
    #expect(refused.count == 224)
    #expect(
      Set(accepted.map(\.subject))
        == Set(Schema.messages.map { .message($0.name) } + [.frames(.request), .frames(.reply)]))
    let classes = refused.compactMap { vector in
      if case .refused(let name) = vector.expectation { name.prefix { $0 != " " } } else { nil }
    }
    #expect(
      Set(classes) == [
        "truncated", "trailing-bytes", "frame-size", "version", "reserved-bits", "unexpected-field",
        "wire-type", "varint",
        "explicit-default", "too-long", "bad-value", "text",
      ])
  }

  @Test(
    "a file that is not written as the others are is refused",
    arguments: [
      "message: Rejection\nexpect: ok\nbytes: 0801\n",
      "expect: ok\ncomment: c\nbytes: 0801\n",
      "message: Rejection\ncomment: c\nbytes: 0801\n",
      "message: Rejection\nexpect: ok\ncomment: c\n",
      "message: Rejection\nexpect: maybe\ncomment: c\nbytes: 0801\n",
      "message: Rejection\nexpect: ok\nexpect: ok\ncomment: c\nbytes: 0801\n",
      "message: Rejection\nframe: request\nexpect: ok\ncomment: c\nbytes: 0801\n",
      "frame: answer\nexpect: ok\ncomment: c\nbytes: 0801\n",
      "message: Rejection\nexpect: ok\nerror: varint\ncomment: c\nbytes: 0801\n",
      "message: Rejection\nexpect: malformed\ncomment: c\nbytes: 0801\n",
      "message: Rejection\nexpect: malformed\nerror: varint\ncomment: c\nfield: stage = 1\nbytes: 0801\n",
      "message: Rejection\nexpect: ok\ncomment: c\nfield: stage 1\nbytes: 0801\n",
      "message: Rejection\nexpect: ok\ncomment: c\nbytes: 080\n",
      "message: Rejection\nexpect: ok\ncomment: c\nbytes: 080x\n",
      "message: Rejection\nexpect: ok\ncomment: c\nnote: n\nbytes: 0801\n",
    ])
  func refusesFile(_ text: String) {
    #expect(throws: WireVector.Flaw.self) { try WireVector(file: "test", text: text) }
  }

  @Test("a message nobody knows is not passed over")
  func unknownMessage() {
    #expect(throws: Decoded.Flaw.self) { try Decoded(.message("Nothing"), []) }
  }
}
