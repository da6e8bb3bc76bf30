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
    let random: SecretBuffer
    do throws(CryptoError) { random = try Random.secret(count: request.count) } catch {
      throw OperationError(error)
    }
    var answer = RandomReply()
    answer.random = random.bytes
    try reply.write(answer)
  }
}
