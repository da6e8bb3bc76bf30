import Crypto
import Foundation
import FuzzTargets
import Host

/// `kist-fuzz --list` names the targets with their longest input; `--seeds TARGET FOLDER` writes
/// what mutation begins with; otherwise libFuzzer runs the target that `KIST_FUZZ_TARGET` names.
/// (In the environment: libFuzzer starts itself anew with its own arguments.)
@_cdecl("kist_fuzz_main")
func start(_ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
{
  Fuzzer.readyMemory()
  let words = CommandLine.arguments.dropFirst()
  if words.first == "--list" {
    for target in fuzzTargets { print(target.name, target.byteLimit) }
    return 0
  }
  if words.first == "--seeds", words.count == 3 {
    return Fuzzer.writeSeeds(of: Fuzzer.target(words[2]), to: words[3])
  }
  var count = count
  var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe arguments
  return unsafe LLVMFuzzerRunDriver(&count, &arguments) { bytes, size in
    unsafe Fuzzer.run(Array(UnsafeBufferPointer(start: bytes, count: size)))
    return 0
  }
}

@_silgen_name("LLVMFuzzerRunDriver")
private func LLVMFuzzerRunDriver(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ run: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

enum Fuzzer {
  static let chosen = target(ProcessInfo.processInfo.environment["KIST_FUZZ_TARGET"] ?? "")

  /// OpenSSL stays on the heap that ASan watches.
  static func readyMemory() {
    do {
      try SecretArena.install(capacity: 64 << 20, allowMlockFallback: true)
      try CryptoBackend.start(arena: false)
    } catch { end("cannot start: \(error)") }
  }

  static func target(_ name: String) -> any FuzzTarget.Type {
    guard let target = fuzzTargets.first(where: { $0.name == name }) else {
      end("no target '\(name)'; KIST_FUZZ_TARGET names one of --list")
    }
    return target
  }

  static func run(_ input: [UInt8]) {
    do { try chosen.run(input) } catch let broken as BrokenPromise {
      end("broken promise: \(broken)")
    } catch {}
  }

  static func writeSeeds(of target: any FuzzTarget.Type, to folder: String) -> Int32 {
    do {
      for (number, seed) in try target.seeds().enumerated() {
        try Data(seed).write(to: URL(filePath: folder).appending(path: "seed-\(number)"))
      }
      return 0
    } catch { end("cannot write the seeds of \(target.name): \(error)") }
  }

  private static func end(_ why: String) -> Never {
    FileHandle.standardError.write(Data((why + "\n").utf8))
    abort()
  }
}
