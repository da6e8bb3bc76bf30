import Ceremony
import Crypto
import Glibc
import Host

/// `stack-probe KEY secret|ordinary SECONDS`: signs with the RSA key of a file, on the one kind of
/// stack or on the other.
///
/// Meanwhile 128 bytes from standard input lie on that stack, since what OpenSSL itself leaves on
/// one depends on the processor. It writes a byte once it has signed. The tests scan it from then
/// on: an ordinary stack must show those bytes, or the scan shows nothing.
@main enum Main {
  static func main() throws {
    let words = CommandLine.arguments
    guard words.count == 4, let seconds = Int64(words[3]) else { exit(64) }
    try SecretArena.install(capacity: 4 << 20, allowMlockFallback: true)
    try SecretStack.install(count: 2, allowMlockFallback: true)
    try CryptoBackend.start(arena: true)
    let ended = Signal()
    let started = Thread.start(on: words[2] == "secret" ? .secret : .ordinary) {
      unsafe withUnsafeTemporaryAllocation(byteCount: 128, alignment: 16) { planted in
        guard unsafe read(STDIN_FILENO, planted.baseAddress, planted.count) == planted.count else {
          exit(65)
        }
        sign(words[1], until: Monitor.now + seconds * 1_000_000_000)
      }
      ended.give()
    }
    guard started else { exit(71) }
    ended.wait()
  }

  private static func sign(_ path: String, until end: Int64) {
    guard let file = try? DurableFile.readSecret(path, limit: 16 << 10, on: LinuxDisk()),
      let key = try? PrivateKeyFile.decode(file.bytes, passphrase: nil).key
    else { exit(66) }
    var message: [UInt8] = [0, 0, 0, 0]
    var hasSigned = false
    while Monitor.now < end {
      message[0] &+= 1
      guard (try? key.sign(message.span)) != nil else { exit(70) }
      if !hasSigned { unsafe hasSigned = write(STDOUT_FILENO, message, 1) == 1 }
    }
  }
}
