// Format: bytes and text as they are sent and kept: `Encoding` (JSON, DER, hex), `Wire` (frames and
// messages of the daemon's sockets), `ClaimWire` (those between kistd and kist-claimd).
// It is pure: bytes in, values out, with limits on size, depth and count.
// It must not know secrets, keys, files, sockets or what a message does.
// Called by every other module.
