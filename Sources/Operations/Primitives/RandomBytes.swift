import Crypto
import Format
import Host

/// `random`: bytes from the kernel's random generator, drawn into the arena.
enum RandomBytes: Operation {
  static let opcode = Opcode.random

  static func run(
    _ request: borrowing RandomRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    let count = request.count
    let random = try onCrypto(Random.secret(count: count))
    var answer = RandomReply()
    answer.random = random.bytes
    try reply.write(answer)
  }
}
