import Format
package import Host

/// The directory of one store, locked for this process while the object lives. [KS-LOCK]
package final class StoreDirectory: Sendable {
  let path: String
  package let disk: any Disk
  private let lock: StoreLock?
  /// The number of the KEK under which files are read and written: how many times it was changed.
  let kekNumber: Int
  /// The most bytes of a manifest; less than usual only in tests.
  let manifestLimit: Int

  /// - Throws: `KeyStoreError.inUse`; `.absent` if there is no such directory.
  package init(
    _ path: String, on disk: any Disk, manifestLimit: Int = StoreFile.manifest.limit
  ) throws(KeyStoreError) {
    self.path = path
    self.disk = disk
    self.manifestLimit = manifestLimit
    kekNumber = 0
    lock = try Self.lock(path) { path throws(DiskError) in try Self.openOrMake(path, on: disk) }
  }

  /// Opens a copy of a store, read-only: creates nothing in it.
  ///
  /// - Throws: `KeyStoreError.inUse` if it is not a copy but a store in use.
  package init(copy path: String, on disk: any Disk) throws(KeyStoreError) {
    self.path = path
    self.disk = disk
    kekNumber = 0
    manifestLimit = StoreFile.manifest.limit
    guard try Self.exists(path, .lock, on: disk) else {
      lock = nil
      return
    }
    lock = try Self.lock(path) { path throws(DiskError) in try File(path, .read, on: disk) }
  }

  /// Creates a directory for a copy of a store.
  ///
  /// - Throws: `KeyStoreError.present` if the name is taken.
  init(new name: String, in parent: String, on disk: any Disk) throws(KeyStoreError) {
    path = parent + "/" + name
    self.disk = disk
    kekNumber = 0
    manifestLimit = StoreFile.manifest.limit
    lock = nil
    do throws(DiskError) {
      try disk.makeDirectory(path, mode: 0o700)
      try disk.syncDirectory(parent)
    } catch { throw error.isPresence ? .present : .storage(.disk(error)) }
  }

  private init(_ directory: StoreDirectory, under kekNumber: Int) {
    path = directory.path
    disk = directory.disk
    lock = directory.lock
    self.kekNumber = kekNumber
    manifestLimit = directory.manifestLimit
  }

  /// The same directory under the KEK with this number.
  package func under(_ kekNumber: Int) -> StoreDirectory { StoreDirectory(self, under: kekNumber) }

  package static func exists(_ path: String, _ file: StoreFile, on disk: any Disk)
    throws(KeyStoreError) -> Bool
  {
    do throws(DiskError) {
      _ = try File(path + "/" + file.name(under: 0), .read, on: disk)
      return true
    } catch {
      guard error.isAbsence else { throw .storage(.disk(error)) }
      return false
    }
  }

  /// The file's bytes, or nil if it does not exist.
  package func read(_ file: StoreFile) throws(KeyStoreError) -> [UInt8]? {
    do throws(StorageError) {
      return try DurableFile.read(path + "/" + name(of: file), limit: limit(of: file), on: disk)
    } catch {
      if case .disk(let error) = error, error.isAbsence { return nil }
      throw .storage(error)
    }
  }

  /// Whether the file has exactly these bytes.
  func has(_ file: StoreFile, _ bytes: [UInt8]) throws(KeyStoreError) -> Bool {
    do throws(DiskError) {
      return try DurableFile.has(path + "/" + name(of: file), bytes.span, on: disk)
    } catch {
      guard error.isAbsence else { throw .storage(.disk(error)) }
      return false
    }
  }

  /// Opens the file for reading and writing.
  func open(_ file: StoreFile) throws(KeyStoreError) -> File {
    try onDisk(File(path + "/" + name(of: file), .update, on: disk))
  }

  /// Replaces the file durably.
  ///
  /// - Throws: `KeyStoreError.storage(.tooLarge)` for what could not be read back.
  package func write(_ file: StoreFile, _ bytes: [UInt8]) throws(KeyStoreError) {
    guard bytes.count <= limit(of: file) else { throw .storage(.tooLarge) }
    try onDisk(DurableFile.replace(name(of: file), in: path, with: bytes.span, on: disk))
  }

  /// Creates a file that must not exist; its contents are durable afterwards, but its name only
  /// after the next `sync` or `write`.
  package func add(_ file: StoreFile, _ bytes: [UInt8]) throws(KeyStoreError) {
    guard bytes.count <= limit(of: file) else { throw .storage(.tooLarge) }
    try onDisk(DurableFile.make(path + "/" + name(of: file), with: bytes.span, on: disk))
  }

  /// Writes behind the first bytes, durably, over what a change that was cut off left there.
  func append(_ file: StoreFile, _ bytes: [UInt8], at place: Int) throws(KeyStoreError) {
    guard place > 0 else { return try write(file, bytes) }
    guard place + bytes.count <= limit(of: file) else { throw .storage(.tooLarge) }
    let open = try open(file)
    do throws(DiskError) {
      try open.write(bytes.span, at: place)
      try open.syncData()
    } catch { throw .storage(.disk(error)) }
  }

  /// Makes the names in the directory durable.
  package func sync() throws(KeyStoreError) {
    try onDisk(disk.syncDirectory(path))
  }

  /// Removes the file durably, if it exists.
  package func remove(_ file: StoreFile) throws(KeyStoreError) { try remove(name(of: file)) }

  private func remove(_ name: String) throws(KeyStoreError) {
    do throws(DiskError) {
      try DurableFile.remove(path + "/" + name, on: disk)
      try disk.syncDirectory(path)
    } catch { throw .storage(.disk(error)) }
  }

  /// What `mkfs` puts into the root of a file system, which may be the store's directory.
  package static let ofFileSystem = "lost+found"

  /// The names in the directory that belong to none of `files`. [KS-STRAYS]
  package func strays(beside files: [StoreFile]) throws(KeyStoreError) -> [String] {
    let known = Set(files.map(name) + [Self.ofFileSystem])
    return try onDisk(disk.list(path).filter { !known.contains($0) })
  }

  /// Removes the obsolete and unfinished files that a crash in the middle of a change has left.
  ///
  /// - Returns: the other stray names.
  func sweep(_ manifest: Manifest, _ former: Set<KeyID>) throws(KeyStoreError) -> [String] {
    var foreign: [String] = []
    for name in try strays(beside: manifest.files) {
      let isFormers = KeyID(hex: String(name.prefix(32))).map(former.contains) ?? false
      if isFormers || manifest.isLeftover(name) || DurableFile.isTemporary(name) {
        try remove(name)
      } else {
        foreign.append(name)
      }
    }
    return foreign
  }

  func limit(of file: StoreFile) -> Int { file == .manifest ? manifestLimit : file.limit }

  private func name(of file: StoreFile) -> String { file.name(under: kekNumber) }

  private static func lock(_ path: String, _ open: (String) throws(DiskError) -> File)
    throws(KeyStoreError) -> StoreLock
  {
    do throws(DiskError) {
      let file = try open(path + "/" + StoreFile.lock.name(under: 0))
      try file.lock()
      return StoreLock(file)
    } catch {
      if error.call == .lock { throw .inUse }
      throw error.isAbsence ? .absent : .storage(.disk(error))
    }
  }

  private static func openOrMake(_ path: String, on disk: any Disk) throws(DiskError) -> File {
    do throws(DiskError) {
      return try File(path, .update, on: disk)
    } catch {
      guard error.isAbsence else { throw error }
    }
    return try File(path, .create(mode: 0o600), on: disk)
  }
}

/// The lock of one directory, held as long as anything refers to it.
private final class StoreLock: Sendable {
  private let file: File

  init(_ file: consuming File) { self.file = file }
}
