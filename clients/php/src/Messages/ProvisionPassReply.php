<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

final class ProvisionPassReply
{
    public function __construct(
        /** 65 bytes */
        public readonly string $ephemeralPublicKey,
        /** at most 16384 bytes; ciphertext and 16-byte tag */
        public readonly ?string $encryptedPassData = null,
        /** at most 4096 bytes */
        public readonly ?string $activationData = null,
        /** The record of the request in the audit log; null if there is none. */
        public readonly int|string|null $auditSequence = null,
    ) {
    }
}
