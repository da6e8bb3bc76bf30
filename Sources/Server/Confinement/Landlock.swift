import CLinux
import Glibc

/// A list of the only places that the process may open once `confine` has run, enforced by the
/// kernel's Landlock.
struct Landlock: Sendable {
  enum Failure: Error, Equatable, Sendable {
    /// The kernel has no Landlock, or was booted without it.
    case unsupported
    /// A path that cannot be opened, and the error number.
    case unreachable(String, Int32)
    case refused(Int32)
  }

  struct Use: OptionSet, Sendable {
    let rawValue: UInt32
    init(rawValue: UInt32) { self.rawValue = rawValue }
    private init(_ access: kist_landlock_access) { rawValue = access.rawValue }

    static let read = Use(KIST_LANDLOCK_READ)
    static let list = Use(KIST_LANDLOCK_LIST)
    /// Make, write, truncate and remove files; make directories.
    static let keep = Use(KIST_LANDLOCK_KEEP)
    static let removeFiles = Use(KIST_LANDLOCK_REMOVE_FILE)
  }

  /// A use covers everything below its path.
  private var places: [(path: String, use: Use)] = []

  init() {}

  mutating func allow(_ path: String, _ use: Use) { places.append((path, use)) }

  /// The version of the kernel's Landlock; nil if it has none.
  static var version: Int32? {
    let version = kist_landlock_version()
    return version >= 1 ? version : nil
  }

  /// Forbids everything else to this thread and all that it will start; cannot be undone.
  ///
  /// `PR_SET_NO_NEW_PRIVS` must be set. Also forbids TCP, and signals and abstract sockets of other
  /// processes if the kernel supports that.
  func confine() throws(Failure) {
    guard let version = Self.version else { throw .unsupported }
    let rules = kist_landlock_create(version)
    guard rules >= 0 else { throw .refused(errno) }
    defer { close(rules) }
    for place in places {
      guard unsafe kist_landlock_allow(rules, version, place.path, Int32(place.use.rawValue)) == 0
      else { throw .unreachable(place.path, errno) }
    }
    guard kist_landlock_restrict(rules) == 0 else { throw .refused(errno) }
  }
}
