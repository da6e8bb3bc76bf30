package import Configuration
package import Crypto
package import Host
package import KeyStore

/// Why there is no sandbox.
package enum SandboxError: Error, Equatable {
  /// The path has characters other than printable ASCII, or leaves a socket's path no room.
  case path
  /// The directory is not empty.
  case present
  /// The directory has no sandbox's configuration.
  case notSandbox
  /// A file of the test PKI is not valid.
  case pki
  /// A pass that Apple or the payment network would refuse.
  case pass(PassFault)
  case configuration(ConfigurationError)
  case storage(StorageError)
  case keyStore(KeyStoreError)
  case crypto(CryptoError)
}

// Each runs code of another module, and tells its error as the sandbox's.

func onDisk<R: ~Copyable>(_ body: @autoclosure () throws(DiskError) -> R) throws(SandboxError) -> R
{
  do throws(DiskError) { return try body() } catch { throw .storage(.disk(error)) }
}

func onCrypto<R: ~Copyable>(_ body: @autoclosure () throws(CryptoError) -> R) throws(SandboxError)
  -> R
{
  do throws(CryptoError) { return try body() } catch { throw .crypto(error) }
}

func onStore<R: ~Copyable>(_ body: @autoclosure () throws(KeyStoreError) -> R) throws(SandboxError)
  -> R
{
  do throws(KeyStoreError) { return try body() } catch { throw .keyStore(error) }
}

func onConfiguration<R: ~Copyable>(_ body: @autoclosure () throws(ConfigurationError) -> R)
  throws(SandboxError) -> R
{
  do throws(ConfigurationError) { return try body() } catch { throw .configuration(error) }
}
