<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

use Kist\Secret;

final class EnrolAuthenticatorReply
{
    public function __construct(
        /** 20, 32 or 64 bytes, as long as the key's hash */
        public readonly Secret $secret,
        /** the subject's first authenticator is 1 */
        public readonly int $number = 0,
        /** how its codes are made */
        public readonly ?OtpParameters $otp = null,
        /** The record of the request in the audit log; null if there is none. */
        public readonly int|string|null $auditSequence = null,
    ) {
    }
}
