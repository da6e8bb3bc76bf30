<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Enums;

/** Which members a pass's payment data has: the columns of table 9-1 of Apple's guide. */
enum PassConfiguration: int
{
    case AccountNumber = 1;
    case AccountIdentifier = 2;
    case EncryptedAccountNumber = 3;
    case EncryptedAccountNumberUnnamed = 4;

    private const TEXTS = [
        1 => 'account-number',
        2 => 'account-identifier',
        3 => 'encrypted-account-number',
        4 => 'encrypted-account-number-unnamed',
    ];

    /** Its name in policy and documents. */
    public function text(): string
    {
        return self::TEXTS[$this->value];
    }
}
