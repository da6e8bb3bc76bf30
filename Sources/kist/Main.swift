internal import Glibc

@main struct Main {
  static func main() {
    Hardening.seal()
    exit(Dispatch.run(Array(CommandLine.arguments.dropFirst())))
  }
}
