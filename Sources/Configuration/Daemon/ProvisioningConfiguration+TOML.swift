internal import Policy

extension ProvisioningConfiguration {
  init(_ table: TOMLTable) throws(ConfigurationError) {
    self.init()
    intermediateName = try table.optional("intermediate_name")?.text("a certificate's common name of 1 to 128 bytes") {
      (1...128).contains($0.utf8.count) ? $0 : nil
    }
    intermediateMarker = try table.optional("intermediate_marker")?.text("an object identifier such as \"1.2.840.113635.100.6.2.15\"", Self.identifier)
    checksValidity = try table.optional("check_validity")?.boolean() ?? true
  }

  private static func identifier(_ text: String) -> String? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let arcs = parts.compactMap { part in UInt32(part).flatMap { String($0) == part ? $0 : nil } }
    // X.660: the first arc is 0, 1 or 2, the second below 40 under the first two of them.
    guard arcs.count == parts.count, (3...16).contains(arcs.count), arcs[0] <= 2, arcs[1] < (arcs[0] == 2 ? 1 << 16 : 40) else { return nil }
    return text
  }
}
