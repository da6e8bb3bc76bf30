<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

final class VerifyOtpReply
{
    public function __construct(
        /** that the code was right for, or the time step */
        public readonly int|string $counter = 0,
        /** The record of the request in the audit log; null if there is none. */
        public readonly int|string|null $auditSequence = null,
    ) {
    }
}
