package import Format

extension Opcode {
  /// The fields that a grant can let out of the operation's result.
  package var releasable: ReleasedFields {
    switch traits.releases {
    case .tokenFields: .nameable
    case .sealedFields: .sealable
    // A Mastercard value over a sealed number gives the number away. [OP-PROV-5]
    case .pan, .panAlone: ReleasedFields([.dpan])
    case .nothing, .secret: []
    }
  }
}
