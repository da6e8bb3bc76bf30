internal import CLinux

/// Zeroes the 32 KiB of stack below the caller, where an operation's frames have been.
///
/// Without it an ECDSA nonce stays on an idle stack after signing, and with its signature gives the key.
package func wipeStack() { kist_wipe_stack() }
