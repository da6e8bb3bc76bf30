<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Enums;

/** The check at which a request was rejected. */
enum Stage: int
{
    case Format = 1;
    case Version = 2;
    case Cms = 3;
    case LeafMarker = 4;
    case IntermediateMarker = 5;
    case ExtraCertificate = 6;
    case Chain = 7;
    case Signer = 8;
    case Algorithm = 9;
    case SignedAttributes = 10;
    case MessageDigest = 11;
    case Signature = 12;
    case CertificateValidity = 13;
    case SigningTime = 14;
    case PublicKeyHash = 15;
    case Replay = 16;
    case KeyAgreement = 17;
    case Tag = 18;
    case Plaintext = 19;
    case Expectation = 20;
    case Passphrase = 21;
    case KeyImport = 22;
    case KeyState = 23;
    case OwnRequest = 24;
    case UnknownRequest = 25;
    case KeyBlock = 26;
    case KeyExport = 27;
    case NotReleased = 28;
    case PeerKey = 30;
    case Parameters = 31;
    case Envelope = 32;
    case Invocations = 33;
    case Mac = 34;
    case Unwrap = 35;
    case EncryptionScheme = 50;
    case MissingField = 51;
    case SurplusField = 52;
    case FieldValue = 53;
    case IssuerCertificate = 54;
    case IssuerLeafMarker = 55;
    case IssuerChainLength = 56;
    case IssuerIntermediateMarker = 57;
    case IssuerIntermediateName = 58;
    case IssuerChain = 59;
    case IssuerKeyUsage = 60;
    case IssuerCriticalExtension = 61;
    case IssuerLeafCurve = 62;
    case IssuerValidity = 63;
    case OtpInput = 64;
    case OtpKeyExpired = 65;
    case OtpCode = 66;
    case OtpLocked = 67;
    case OtpNotRestored = 68;
    case OtpHome = 69;
    case StandInKey = 70;
    case Pan = 71;
    case StandIn = 72;
    case Expired = 73;
    case EnvelopeUsed = 74;
    case PartnerKey = 75;
    case Claims = 76;
    case Checkpoint = 80;
    case ShareForm = 90;
    case ShareRegister = 92;
    case ShareSplit = 93;
    case ShareHolder = 94;
    case ShareDuplicate = 95;
    case ShareHolderTwice = 96;
    case ShareSurplus = 97;
    case ShareCombination = 98;
    case ShareCoolDown = 99;
    case OtherKek = 100;
    case Backup = 101;

    private const TEXTS = [
        1 => 'format',
        2 => 'version',
        3 => 'cms',
        4 => 'leaf-marker',
        5 => 'intermediate-marker',
        6 => 'extra-certificate',
        7 => 'chain',
        8 => 'signer',
        9 => 'algorithm',
        10 => 'signed-attributes',
        11 => 'message-digest',
        12 => 'signature',
        13 => 'certificate-validity',
        14 => 'signing-time',
        15 => 'public-key-hash',
        16 => 'replay',
        17 => 'key-agreement',
        18 => 'tag',
        19 => 'plaintext',
        20 => 'expectation',
        21 => 'passphrase',
        22 => 'key-import',
        23 => 'key-state',
        24 => 'own-request',
        25 => 'unknown-request',
        26 => 'key-block',
        27 => 'key-export',
        28 => 'not-released',
        30 => 'peer-key',
        31 => 'parameters',
        32 => 'envelope',
        33 => 'invocations',
        34 => 'mac',
        35 => 'unwrap',
        50 => 'encryption-scheme',
        51 => 'missing-field',
        52 => 'surplus-field',
        53 => 'field-value',
        54 => 'issuer-certificate',
        55 => 'issuer-leaf-marker',
        56 => 'issuer-chain-length',
        57 => 'issuer-intermediate-marker',
        58 => 'issuer-intermediate-name',
        59 => 'issuer-chain',
        60 => 'issuer-key-usage',
        61 => 'issuer-critical-extension',
        62 => 'issuer-leaf-curve',
        63 => 'issuer-validity',
        64 => 'otp-input',
        65 => 'otp-key-expired',
        66 => 'otp-code',
        67 => 'otp-locked',
        68 => 'otp-not-restored',
        69 => 'otp-home',
        70 => 'stand-in-key',
        71 => 'pan',
        72 => 'stand-in',
        73 => 'expired',
        74 => 'envelope-used',
        75 => 'partner-key',
        76 => 'claims',
        80 => 'checkpoint',
        90 => 'share-form',
        92 => 'share-register',
        93 => 'share-split',
        94 => 'share-holder',
        95 => 'share-duplicate',
        96 => 'share-holder-twice',
        97 => 'share-surplus',
        98 => 'share-combination',
        99 => 'share-cool-down',
        100 => 'other-kek',
        101 => 'backup',
    ];

    /** Its name in policy and documents. */
    public function text(): string
    {
        return self::TEXTS[$this->value];
    }
}
