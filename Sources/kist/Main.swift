internal import Glibc

@main struct Main {
  static func main() { exit(Dispatch.run(Array(CommandLine.arguments.dropFirst()))) }
}
