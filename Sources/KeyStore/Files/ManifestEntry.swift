/// A key's record in a manifest: an object, so that copying a manifest of thousands copies references, and what a change left alone is seen at a glance.
final class ManifestEntry: Sendable {
  let record: KeyRecord

  init(_ record: KeyRecord) { self.record = record }
}

extension ManifestEntry: Equatable {
  static func == (a: ManifestEntry, b: ManifestEntry) -> Bool { a.record == b.record }
}
