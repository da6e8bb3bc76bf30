public import Foundation

/// The test vectors nobody here wrote; the folder is `../shared/vectors` or `KIST_VECTORS`.
public enum Vectors {
  public static let root: URL = {
    if let named = ProcessInfo.processInfo.environment["KIST_VECTORS"] {
      return URL(fileURLWithPath: named)
    }
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return package.deletingLastPathComponent().appendingPathComponent("shared/vectors")
  }()

  /// Suites that need the folder are `.enabled(if: Vectors.present, Vectors.absence)`.
  public static let present = FileManager.default.fileExists(atPath: root.path)

  public static func data(_ path: String) throws -> Data {
    try Data(contentsOf: root.appendingPathComponent(path))
  }

  public static func json(_ path: String) throws -> [String: Any] {
    guard let object = try JSONSerialization.jsonObject(with: data(path)) as? [String: Any] else {
      throw CocoaError(.fileReadCorruptFile)
    }
    return object
  }
}
