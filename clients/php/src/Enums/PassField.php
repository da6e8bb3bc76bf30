<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Enums;

/** A field of a provisioning request that a rejection is about. */
enum PassField: int
{
    case EncryptedPrimaryAccountNumber = 1;
    case Expiration = 2;
    case Name = 3;
    case NetworkName = 4;
    case Nonce = 5;
    case NonceSignature = 6;
    case PrimaryAccountIdentifier = 7;
    case PrimaryAccountNumber = 8;
    case PrimaryAccountNumberPrefix = 9;
    case ProductType = 10;
    case AccountEnvelope = 11;
    case Activation = 12;
    case AccountSurrogate = 13;

    private const TEXTS = [
        1 => 'encrypted-primary-account-number',
        2 => 'expiration',
        3 => 'name',
        4 => 'network-name',
        5 => 'nonce',
        6 => 'nonce-signature',
        7 => 'primary-account-identifier',
        8 => 'primary-account-number',
        9 => 'primary-account-number-prefix',
        10 => 'product-type',
        11 => 'account-envelope',
        12 => 'activation',
        13 => 'account-surrogate',
    ];

    /** Its name in policy and documents. */
    public function text(): string
    {
        return self::TEXTS[$this->value];
    }
}
