<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

final class VerifyPaymentTokenReply
{
    public function __construct(
        /** seconds since 1970, by the signature */
        public readonly int|string $signingTime = 0,
        /** The record of the request in the audit log; null if there is none. */
        public readonly int|string|null $auditSequence = null,
    ) {
    }
}
