<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Enums;

/** A field of an opened token that policy can release. */
enum ReleasedField: int
{
    case Dpan = 1;
    case Last4 = 2;
    case Bin = 3;
    case Network = 4;
    case Expiry = 5;
    case Currency = 6;
    case Amount = 7;
    case Cryptogram = 8;
    case Eci = 9;
    case PaymentDataType = 10;
    case DeviceManufacturer = 11;
    case EmvData = 12;
    case EncryptedPin = 13;
    case CardholderName = 14;
    case AuthenticationResponses = 15;
    case MerchantToken = 16;
    case Raw = 17;
    case Surrogate = 20;
    case Envelope = 21;
    case Jwe = 22; // follows from the grant, and is never asked for

    private const TEXTS = [
        1 => 'dpan',
        2 => 'last4',
        3 => 'bin',
        4 => 'network',
        5 => 'expiry',
        6 => 'currency',
        7 => 'amount',
        8 => 'cryptogram',
        9 => 'eci',
        10 => 'payment-data-type',
        11 => 'device-manufacturer',
        12 => 'emv-data',
        13 => 'encrypted-pin',
        14 => 'cardholder-name',
        15 => 'authentication-responses',
        16 => 'merchant-token',
        17 => 'raw',
        20 => 'surrogate',
        21 => 'envelope',
        22 => 'jwe',
    ];

    /** Its name in policy and documents. */
    public function text(): string
    {
        return self::TEXTS[$this->value];
    }
}
