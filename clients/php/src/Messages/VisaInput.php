<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

use Kist\Enums\VisaType;

/**
 * For Visa Token Service: MBPAC and MPAC take nonce and code, MBPAD and MPAD number and expiry.
 */
final class VisaInput
{
    public function __construct(
        /** which of Visa's values */
        public readonly VisaType $type,
        /** 1 to 64 bytes */
        public readonly ?string $nonce = null,
        /** at most 32 bytes; 1 to 32 letters and digits */
        public readonly ?string $authenticationCode = null,
        /** at most 19 bytes; digits */
        public readonly ?string $accountNumber = null,
        /** at most 4 bytes; MMYY */
        public readonly ?string $expiry = null,
    ) {
    }
}
