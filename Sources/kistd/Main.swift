internal import Glibc
internal import Server

@main struct Main {
  static func main() { exit(Arguments.run(CommandLine.arguments.dropFirst()).rawValue) }
}
