import Crypto
import Format
import Testing

@testable import KeyStore

/// [KS-MANIFEST-FORM] A change copies the text of what it leaves alone: nothing shows that.
@Suite struct ManifestFileTests {
  let store: KeyStore
  let key = [UInt8](repeating: 7, count: 32)

  init() throws {
    let scene = try Scene()
    try scene.create()
    store = try scene.unlock()
  }

  private func record(_ number: Int) throws -> KeyRecord {
    let request = KeyImport(
      label: try #require(KeyLabel("more/\(number)")), role: .sealing,
      material: .symmetric(try Random.secret(count: 32)))
    return try store.newKey(request, at: Scene.now, anchor: Scene.anchor(1)).record
  }

  private func expectTheSame(_ manifest: Manifest, after earlier: ManifestFile) throws
    -> ManifestFile
  {
    let file = try ManifestFile(manifest, after: earlier, key: key.span)
    #expect(file.serialised == (try ManifestFile(manifest, key: key.span).serialised))
    #expect(try ManifestFile(parsing: file.serialised).manifest == manifest)
    #expect(try file.isAuthentic(key: key.span))
    return file
  }

  @Test func aChangedFileIsWhatWouldBeWrittenAnew() throws {
    var manifest = store.table.value.manifest
    var file = store.table.value.file
    for number in 0..<40 {
      manifest.insert(try record(number))
      if number.isMultiple(of: 4) { manifest.insert(try record(100 + number)) }
      if number.isMultiple(of: 3) {
        for place in [0, number / 2, manifest.keys.count - 1] {
          manifest.replace(used(manifest.entries[place].record))
        }
      }
      manifest.generation += 1
      file = try expectTheSame(manifest, after: file)
    }
    let older = file
    for entry in manifest.entries { manifest.replace(used(entry.record)) }
    _ = try expectTheSame(manifest, after: older)
  }

  /// File names depend on the KEK's number, so no text may stay.
  @Test func underAnotherKEKEverythingIsWrittenAnew() throws {
    let manifest = store.table.value.manifest
    let file = store.table.value.file
    let resealing = try Resealing(number: 1, tagKey: key.span, kbpk: key.span)
    let next = Manifest(
      generation: 2, anchor: manifest.anchor, kek: manifest.kek, resealing: resealing,
      kind: .production, registers: 0, keys: manifest.keys)
    let text = String(decoding: try expectTheSame(next, after: file).serialised, as: UTF8.self)
    #expect(text.contains(".1.kb\"") && !text.contains(#/"[0-9a-f]{32}\.kb"/#))
  }

  private func used(_ record: KeyRecord) -> KeyRecord {
    var changed = record
    changed.uses.add(1, last: Scene.later)
    return changed
  }
}
