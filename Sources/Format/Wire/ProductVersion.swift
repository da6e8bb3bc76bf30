/// The version of the daemon and its tools; the wire protocol has its own.
package enum ProductVersion {
  package static let text = "0.1.0"
}
