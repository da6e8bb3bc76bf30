<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

final class ProvisionTraceReply
{
    public function __construct(
        /** 32 bytes */
        public readonly string $publicKeyHash,
        /** 65 bytes */
        public readonly string $ephemeralPublicKey,
        /** 32 bytes; Z */
        public readonly string $sharedSecret,
        /** 84 bytes */
        public readonly string $otherInfo,
        /** 32 bytes; the content key */
        public readonly string $sharedKey,
        /** at most 4112 bytes; ciphertext and tag */
        public readonly ?string $encryptedPassData = null,
        /** The record of the request in the audit log; null if there is none. */
        public readonly int|string|null $auditSequence = null,
    ) {
    }
}
