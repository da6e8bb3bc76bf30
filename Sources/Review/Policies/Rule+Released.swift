package import Format
package import Policy

extension Rule {
  /// The names of what it releases from this operation.
  package func releasedNames(by opcode: Opcode) -> [String] {
    released.intersection(opcode.releasable).fields.map(\.name)
      + secrets.secrets.filter { $0.opcode == opcode }.map(\.name)
  }

  /// The names of what this operation seals into the envelope that it releases.
  package func sealedNames(by opcode: Opcode) -> [String] { opcode.traits.releases == .tokenFields ? sealed.fields.map(\.name) : [] }
}
