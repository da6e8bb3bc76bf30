internal import Configuration

/// Where a key store is: a directory's name in its parent.
package struct StorePlace: Hashable, Sendable {
  package let parent, name: String

  package var path: String { parent + "/" + name }

  package init(parent: String, name: String) { (self.parent, self.name) = (parent, name) }

  /// - Parameter path: absolute and in normal form, below the root.
  package init?(_ path: String) {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex, path.index(after: slash) < path.endIndex else { return nil }
    self.init(parent: String(path[..<slash]), name: String(path[path.index(after: slash)...]))
  }

  init(_ node: TOMLNode) throws(ConfigurationError) {
    let path = try node.path()
    guard let place = StorePlace(path) else { throw node.unfit("\"\(path)\"", "the path of a key store, such as \"/var/lib/kist/keys\"") }
    self = place
  }
}
