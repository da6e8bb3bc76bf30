internal import CLinux
internal import CSeccomp
internal import Crypto
internal import Format
internal import Glibc

extension Daemon {
  /// The program's version, its compiler's and its libraries', one per line.
  package static var versions: String {
    let libraries = (CryptoBackend.libraries + [seccomp, libc]).map(\.line) + ["compiled by \(unsafe String(cString: kist_compiler_version()))"]
    return (["kistd \(ProductVersion.text)"] + libraries).map { $0 + "\n" }.joined()
  }

  private static var seccomp: LibraryVersion {
    let loaded = unsafe seccomp_version().pointee
    return LibraryVersion(
      "libseccomp", compiled: "\(SCMP_VER_MAJOR).\(SCMP_VER_MINOR).\(SCMP_VER_MICRO)", loaded: "\(loaded.major).\(loaded.minor).\(loaded.micro)")
  }

  private static var libc: LibraryVersion {
    LibraryVersion("glibc", compiled: "\(__GLIBC__).\(__GLIBC_MINOR__)", loaded: unsafe String(cString: kist_libc_version()))
  }
}

extension LibraryVersion {
  fileprivate var line: String { "\(name) \(loaded), compiled for \(compiled)" }
}
