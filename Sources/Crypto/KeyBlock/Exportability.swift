/// Whether the wrapped key may be exported under another key (X9.143 §5.3.6).
package enum Exportability: UInt8, CaseIterable, Sendable {
  /// Under a KEK, in a form that meets X9.24.
  case exportable = 0x45  // E
  case nonExportable = 0x4E  // N
  /// Under a KEK, in any form.
  case sensitive = 0x53  // S
}
