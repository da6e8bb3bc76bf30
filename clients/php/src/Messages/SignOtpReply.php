<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

use Kist\Secret;

final class SignOtpReply
{
    public function __construct(
        /** at most 2048 bytes; the value or code */
        public readonly ?Secret $otp = null,
        /** of a code: its counter or time step */
        public readonly int|string|null $counter = null,
        /** The record of the request in the audit log; null if there is none. */
        public readonly int|string|null $auditSequence = null,
    ) {
    }
}
