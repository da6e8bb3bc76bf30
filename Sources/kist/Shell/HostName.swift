import Glibc

/// What this machine calls itself.
enum HostName {
  static var current: String {
    var name = utsname()
    guard unsafe uname(&name) == 0 else { return "this host" }
    return unsafe withUnsafeBytes(of: &name.nodename) {
      unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
