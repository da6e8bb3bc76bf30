<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Enums;

/** A key derivation function with its hash. */
enum Derivation: int
{
    case OneStepSha256 = 1;
    case OneStepSha384 = 2;
    case OneStepSha512 = 3;
    case X963Sha256 = 4;
    case X963Sha384 = 5;
    case X963Sha512 = 6;
    case HkdfSha256 = 7;
    case HkdfSha384 = 8;
    case HkdfSha512 = 9;

    private const TEXTS = [
        1 => 'one-step-sha256',
        2 => 'one-step-sha384',
        3 => 'one-step-sha512',
        4 => 'x963-sha256',
        5 => 'x963-sha384',
        6 => 'x963-sha512',
        7 => 'hkdf-sha256',
        8 => 'hkdf-sha384',
        9 => 'hkdf-sha512',
    ];

    /** Its name in policy and documents. */
    public function text(): string
    {
        return self::TEXTS[$this->value];
    }
}
