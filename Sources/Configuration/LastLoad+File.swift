package import Supervision

extension LastLoad {
  /// The file in this directory, or nil if there is none or it is being written.
  package init?(in directory: String, _ name: String = fileName) {
    guard let bytes = try? TextFile.read(directory + "/" + name) else { return nil }
    self.init(line: String(decoding: bytes, as: UTF8.self))
  }
}
