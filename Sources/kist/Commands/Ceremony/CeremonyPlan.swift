import Ceremony
import Configuration

extension Command {
  static let ceremonyPlan = Command(
    name: "ceremony plan",
    summary: "check a ceremony's file and print its script",
    usage: """
      Usage: kist ceremony plan FILE

      Checks every field and rule of a ceremony's file and prints the numbered script
      of the ceremony, with the file's SHA-256 in digits and in words to read aloud.
      It changes nothing and needs no key.

      """,
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    try Hardening.prepareForPublicData()
    Output.write(Script(try CeremonyPlan.read(arguments.operands[0])).text)
  }
}

extension CeremonyPlan {
  static func read(_ path: String) throws(CommandFailure) -> CeremonyPlan {
    try onConfiguration(load(path))
  }
}
