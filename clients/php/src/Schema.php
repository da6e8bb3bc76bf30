<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist;

/** Every message and operation of the protocol as a table. @internal */
final class Schema
{
    /** By name: fields, and the rule between two of them as [kind, first, second, number of the second]. */
    public const MESSAGES = [
        'PaymentToken' => [
            'fields' => [
                ['number' => 1, 'name' => 'version', 'kind' => 'enum', 'presence' => 'required', 'type' => 'TokenVersion', 'least' => 0, 'most' => 2],
                ['number' => 2, 'name' => 'data', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 65536],
                ['number' => 3, 'name' => 'signature', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 16384],
                ['number' => 4, 'name' => 'ephemeralPublicKey', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 1024],
                ['number' => 5, 'name' => 'wrappedKey', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 1024],
                ['number' => 6, 'name' => 'publicKeyHash', 'kind' => 'bytes', 'presence' => 'required', 'least' => 32, 'most' => 32],
                ['number' => 7, 'name' => 'transactionId', 'kind' => 'bytes', 'presence' => 'required', 'least' => 32, 'most' => 32],
                ['number' => 8, 'name' => 'applicationData', 'kind' => 'bytes', 'presence' => 'any', 'least' => 32, 'most' => 32],
            ],
            'rule' => null,
        ],
        'Malformation' => [
            'fields' => [
                ['number' => 1, 'name' => 'why', 'kind' => 'string', 'presence' => 'required', 'least' => 1, 'most' => 160],
            ],
            'rule' => null,
        ],
        'Busy' => [
            'fields' => [
                ['number' => 1, 'name' => 'retryAfter', 'kind' => 'uint32', 'presence' => 'required', 'least' => 1, 'most' => 1209600000],
            ],
            'rule' => null,
        ],
        'Rejection' => [
            'fields' => [
                ['number' => 1, 'name' => 'stage', 'kind' => 'enum', 'presence' => 'required', 'type' => 'Stage', 'least' => 0, 'most' => 255],
                ['number' => 2, 'name' => 'field', 'kind' => 'enum', 'presence' => 'any', 'type' => 'PassField', 'least' => 0, 'most' => 13],
                ['number' => 3, 'name' => 'releasedField', 'kind' => 'enum', 'presence' => 'any', 'type' => 'ReleasedField', 'least' => 0, 'most' => 22],
            ],
            'rule' => null,
        ],
        'ApprovalNeeded' => [
            'fields' => [
                ['number' => 1, 'name' => 'request', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 16],
                ['number' => 2, 'name' => 'until', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
            ],
            'rule' => null,
        ],
        'OperationDescription' => [
            'fields' => [
                ['number' => 1, 'name' => 'opcode', 'kind' => 'uint32', 'presence' => 'any', 'least' => 0, 'most' => 4294967295],
                ['number' => 2, 'name' => 'name', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 64],
                ['number' => 3, 'name' => 'requestCap', 'kind' => 'uint32', 'presence' => 'any', 'least' => 0, 'most' => 4294967295],
            ],
            'rule' => null,
        ],
        'DescribeReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'productVersion', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 64],
                ['number' => 2, 'name' => 'wireVersion', 'kind' => 'uint32', 'presence' => 'any', 'least' => 0, 'most' => 4294967295],
                ['number' => 3, 'name' => 'operations', 'kind' => 'message', 'presence' => 'repeated', 'type' => 'OperationDescription', 'least' => 0, 'most' => 128, 'count' => 256],
                ['number' => 4, 'name' => 'inFlight', 'kind' => 'uint32', 'presence' => 'any', 'least' => 0, 'most' => 4294967295],
                ['number' => 5, 'name' => 'rehearsal', 'kind' => 'bool', 'presence' => 'any', 'least' => 0, 'most' => 1],
            ],
            'rule' => null,
        ],
        'OtpParameters' => [
            'fields' => [
                ['number' => 1, 'name' => 'keySet', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 64],
                ['number' => 2, 'name' => 'keyAlias', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 64],
                ['number' => 3, 'name' => 'digits', 'kind' => 'uint32', 'presence' => 'any', 'least' => 0, 'most' => 4294967295],
                ['number' => 4, 'name' => 'hash', 'kind' => 'enum', 'presence' => 'any', 'type' => 'OtpHash', 'least' => 0, 'most' => 3],
                ['number' => 5, 'name' => 'step', 'kind' => 'uint32', 'presence' => 'any', 'least' => 0, 'most' => 4294967295],
                ['number' => 6, 'name' => 'window', 'kind' => 'uint32', 'presence' => 'optional', 'least' => 0, 'most' => 4294967295],
                ['number' => 7, 'name' => 'failures', 'kind' => 'uint32', 'presence' => 'any', 'least' => 0, 'most' => 4294967295],
                ['number' => 8, 'name' => 'lockout', 'kind' => 'uint32', 'presence' => 'any', 'least' => 0, 'most' => 4294967295],
            ],
            'rule' => null,
        ],
        'KeyDescription' => [
            'fields' => [
                ['number' => 1, 'name' => 'id', 'kind' => 'bytes', 'presence' => 'required', 'least' => 16, 'most' => 16],
                ['number' => 2, 'name' => 'label', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 128],
                ['number' => 3, 'name' => 'role', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 64],
                ['number' => 4, 'name' => 'state', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 32],
                ['number' => 5, 'name' => 'algorithm', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 32],
                ['number' => 6, 'name' => 'usage', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 16],
                ['number' => 7, 'name' => 'merchantIdentifier', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 255],
                ['number' => 8, 'name' => 'publicKey', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 1024],
                ['number' => 9, 'name' => 'checkValue', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 32],
                ['number' => 10, 'name' => 'certificate', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 8192],
                ['number' => 11, 'name' => 'created', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 12, 'name' => 'activated', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 13, 'name' => 'notAfter', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 14, 'name' => 'lastUse', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 15, 'name' => 'uses', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 16, 'name' => 'otp', 'kind' => 'message', 'presence' => 'any', 'type' => 'OtpParameters', 'least' => 0, 'most' => 256],
                ['number' => 17, 'name' => 'exportable', 'kind' => 'bool', 'presence' => 'any', 'least' => 0, 'most' => 1],
                ['number' => 18, 'name' => 'notBefore', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 19, 'name' => 'useLimit', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
            ],
            'rule' => null,
        ],
        'ListKeysRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'prefix', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 128],
                ['number' => 2, 'name' => 'after', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 128],
                ['number' => 3, 'name' => 'pattern', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 128],
            ],
            'rule' => null,
        ],
        'ListKeysReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'keys', 'kind' => 'message', 'presence' => 'repeated', 'type' => 'KeyDescription', 'least' => 0, 'most' => 16384, 'count' => 64],
                ['number' => 2, 'name' => 'more', 'kind' => 'bool', 'presence' => 'any', 'least' => 0, 'most' => 1],
            ],
            'rule' => null,
        ],
        'RandomRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'count', 'kind' => 'uint32', 'presence' => 'required', 'least' => 1, 'most' => 1024],
            ],
            'rule' => null,
        ],
        'RandomReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'random', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 1024, 'secret' => true],
            ],
            'rule' => null,
        ],
        'Right' => [
            'fields' => [
                ['number' => 1, 'name' => 'grant', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 64],
                ['number' => 2, 'name' => 'operations', 'kind' => 'string', 'presence' => 'repeated', 'least' => 0, 'most' => 64, 'count' => 64],
                ['number' => 3, 'name' => 'keys', 'kind' => 'string', 'presence' => 'repeated', 'least' => 0, 'most' => 128, 'count' => 128],
                ['number' => 4, 'name' => 'released', 'kind' => 'string', 'presence' => 'repeated', 'least' => 0, 'most' => 64, 'count' => 64],
                ['number' => 5, 'name' => 'stages', 'kind' => 'bool', 'presence' => 'any', 'least' => 0, 'most' => 1],
                ['number' => 6, 'name' => 'rate', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 32],
                ['number' => 7, 'name' => 'quota', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 32],
                ['number' => 8, 'name' => 'keyQuota', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 32],
                ['number' => 9, 'name' => 'until', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 10, 'name' => 'hours', 'kind' => 'string', 'presence' => 'repeated', 'least' => 0, 'most' => 32, 'count' => 16],
            ],
            'rule' => null,
        ],
        'WhoReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'uid', 'kind' => 'uint32', 'presence' => 'any', 'least' => 0, 'most' => 4294967295],
                ['number' => 2, 'name' => 'gid', 'kind' => 'uint32', 'presence' => 'any', 'least' => 0, 'most' => 4294967295],
                ['number' => 3, 'name' => 'unit', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 256],
                ['number' => 4, 'name' => 'rights', 'kind' => 'message', 'presence' => 'repeated', 'type' => 'Right', 'least' => 0, 'most' => 32768, 'count' => 24],
                ['number' => 5, 'name' => 'more', 'kind' => 'bool', 'presence' => 'any', 'least' => 0, 'most' => 1],
            ],
            'rule' => null,
        ],
        'AuditDigestRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'field', 'kind' => 'enum', 'presence' => 'required', 'type' => 'DigestField', 'least' => 0, 'most' => 3],
                ['number' => 2, 'name' => 'value', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 128],
            ],
            'rule' => null,
        ],
        'AuditDigestReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'digest', 'kind' => 'string', 'presence' => 'required', 'least' => 1, 'most' => 76],
            ],
            'rule' => null,
        ],
        'VerifyPaymentTokenRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'token', 'kind' => 'message', 'presence' => 'required', 'type' => 'PaymentToken', 'least' => 0, 'most' => 84224],
                ['number' => 2, 'name' => 'expectedApplicationData', 'kind' => 'bytes', 'presence' => 'any', 'least' => 32, 'most' => 32],
            ],
            'rule' => null,
        ],
        'VerifyPaymentTokenReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'signingTime', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
            ],
            'rule' => null,
        ],
        'OpenPaymentTokenRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'token', 'kind' => 'message', 'presence' => 'required', 'type' => 'PaymentToken', 'least' => 0, 'most' => 84224],
                ['number' => 2, 'name' => 'release', 'kind' => 'set', 'presence' => 'any', 'type' => 'ReleasedField', 'least' => 0, 'most' => 64, 'never' => [22]],
                ['number' => 3, 'name' => 'expectedCurrency', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 3],
                ['number' => 4, 'name' => 'expectedAmount', 'kind' => 'uint64', 'presence' => 'optional', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 5, 'name' => 'expectedApplicationData', 'kind' => 'bytes', 'presence' => 'any', 'least' => 32, 'most' => 32],
                ['number' => 6, 'name' => 'required', 'kind' => 'set', 'presence' => 'any', 'type' => 'ReleasedField', 'least' => 0, 'most' => 64, 'never' => [22]],
                ['number' => 7, 'name' => 'retryKey', 'kind' => 'bytes', 'presence' => 'any', 'least' => 16, 'most' => 16],
            ],
            'rule' => null,
        ],
        'OpenPaymentTokenReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'dpan', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX, 'secret' => true],
                ['number' => 2, 'name' => 'last4', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 3, 'name' => 'bin', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 4, 'name' => 'network', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 5, 'name' => 'expiry', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX, 'secret' => true],
                ['number' => 6, 'name' => 'currency', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 7, 'name' => 'amount', 'kind' => 'uint64', 'presence' => 'optional', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 8, 'name' => 'cryptogram', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX, 'secret' => true],
                ['number' => 9, 'name' => 'eci', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 10, 'name' => 'paymentDataType', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 11, 'name' => 'deviceManufacturer', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 12, 'name' => 'emvData', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX, 'secret' => true],
                ['number' => 13, 'name' => 'encryptedPin', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX, 'secret' => true],
                ['number' => 14, 'name' => 'cardholderName', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX, 'secret' => true],
                ['number' => 15, 'name' => 'authenticationResponses', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX, 'secret' => true],
                ['number' => 16, 'name' => 'merchantToken', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX, 'secret' => true],
                ['number' => 17, 'name' => 'raw', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX, 'secret' => true],
                ['number' => 18, 'name' => 'signingTime', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 20, 'name' => 'surrogate', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 21, 'name' => 'envelope', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 22, 'name' => 'jwe', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
            ],
            'rule' => null,
        ],
        'VisaInput' => [
            'fields' => [
                ['number' => 1, 'name' => 'type', 'kind' => 'enum', 'presence' => 'required', 'type' => 'VisaType', 'least' => 0, 'most' => 4],
                ['number' => 2, 'name' => 'nonce', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 64],
                ['number' => 3, 'name' => 'authenticationCode', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 32],
                ['number' => 4, 'name' => 'accountNumber', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 19],
                ['number' => 5, 'name' => 'expiry', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 4],
            ],
            'rule' => null,
        ],
        'MastercardInput' => [
            'fields' => [
                ['number' => 1, 'name' => 'version', 'kind' => 'uint32', 'presence' => 'required', 'least' => 2, 'most' => 4],
                ['number' => 2, 'name' => 'accountNumber', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 19],
                ['number' => 3, 'name' => 'expiry', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 4],
                ['number' => 4, 'name' => 'tokenReference', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 64],
                ['number' => 5, 'name' => 'validUntil', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
            ],
            'rule' => null,
        ],
        'AccountSurrogate' => [
            'fields' => [
                ['number' => 1, 'name' => 'surrogate', 'kind' => 'string', 'presence' => 'required', 'least' => 1, 'most' => 32],
                ['number' => 2, 'name' => 'key', 'kind' => 'bytes', 'presence' => 'required', 'least' => 16, 'most' => 16],
                ['number' => 3, 'name' => 'merchantIdentifier', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 255],
            ],
            'rule' => null,
        ],
        'ProvisionPassRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'scheme', 'kind' => 'enum', 'presence' => 'required', 'type' => 'EncryptionScheme', 'least' => 0, 'most' => 2],
                ['number' => 2, 'name' => 'certificates', 'kind' => 'bytes', 'presence' => 'repeated', 'least' => 0, 'most' => 8192, 'count' => 3],
                ['number' => 3, 'name' => 'configuration', 'kind' => 'enum', 'presence' => 'required', 'type' => 'PassConfiguration', 'least' => 0, 'most' => 4],
                ['number' => 4, 'name' => 'encryptedPrimaryAccountNumber', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 1024],
                ['number' => 5, 'name' => 'expiration', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 5],
                ['number' => 6, 'name' => 'name', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 256],
                ['number' => 7, 'name' => 'networkName', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 64],
                ['number' => 8, 'name' => 'nonce', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 64],
                ['number' => 9, 'name' => 'nonceSignature', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 256],
                ['number' => 10, 'name' => 'primaryAccountIdentifier', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 128],
                ['number' => 11, 'name' => 'primaryAccountNumber', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 19],
                ['number' => 12, 'name' => 'primaryAccountNumberPrefix', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 19],
                ['number' => 13, 'name' => 'productType', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 64],
                ['number' => 14, 'name' => 'accountEnvelope', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 512],
                ['number' => 15, 'name' => 'envelopeContext', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 512],
                ['number' => 16, 'name' => 'visa', 'kind' => 'message', 'presence' => 'any', 'type' => 'VisaInput', 'least' => 0, 'most' => 256],
                ['number' => 17, 'name' => 'mastercard', 'kind' => 'message', 'presence' => 'any', 'type' => 'MastercardInput', 'least' => 0, 'most' => 256],
                ['number' => 18, 'name' => 'activationData', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 4096],
                ['number' => 19, 'name' => 'accountSurrogate', 'kind' => 'message', 'presence' => 'any', 'type' => 'AccountSurrogate', 'least' => 0, 'most' => 512],
                ['number' => 20, 'name' => 'networkKey', 'kind' => 'bytes', 'presence' => 'any', 'least' => 16, 'most' => 16],
            ],
            'rule' => null,
        ],
        'ProvisionPassReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'encryptedPassData', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 16384],
                ['number' => 2, 'name' => 'ephemeralPublicKey', 'kind' => 'bytes', 'presence' => 'required', 'least' => 65, 'most' => 65],
                ['number' => 3, 'name' => 'activationData', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 4096],
            ],
            'rule' => null,
        ],
        'ProvisionTraceRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'recipient', 'kind' => 'bytes', 'presence' => 'required', 'least' => 65, 'most' => 65],
                ['number' => 2, 'name' => 'ephemeralPrivateKey', 'kind' => 'bytes', 'presence' => 'required', 'least' => 32, 'most' => 32],
                ['number' => 3, 'name' => 'passData', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 4096],
            ],
            'rule' => null,
        ],
        'ProvisionTraceReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'publicKeyHash', 'kind' => 'bytes', 'presence' => 'required', 'least' => 32, 'most' => 32],
                ['number' => 2, 'name' => 'ephemeralPublicKey', 'kind' => 'bytes', 'presence' => 'required', 'least' => 65, 'most' => 65],
                ['number' => 3, 'name' => 'sharedSecret', 'kind' => 'bytes', 'presence' => 'required', 'least' => 32, 'most' => 32],
                ['number' => 4, 'name' => 'otherInfo', 'kind' => 'bytes', 'presence' => 'required', 'least' => 84, 'most' => 84],
                ['number' => 5, 'name' => 'sharedKey', 'kind' => 'bytes', 'presence' => 'required', 'least' => 32, 'most' => 32],
                ['number' => 6, 'name' => 'encryptedPassData', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 4112],
            ],
            'rule' => null,
        ],
        'SignOtpRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'subject', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 128],
                ['number' => 2, 'name' => 'counter', 'kind' => 'uint64', 'presence' => 'optional', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 3, 'name' => 'visa', 'kind' => 'message', 'presence' => 'any', 'type' => 'VisaInput', 'least' => 0, 'most' => 256],
                ['number' => 4, 'name' => 'mastercard', 'kind' => 'message', 'presence' => 'any', 'type' => 'MastercardInput', 'least' => 0, 'most' => 256],
                ['number' => 5, 'name' => 'accountEnvelope', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 512],
                ['number' => 6, 'name' => 'envelopeContext', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 512],
                ['number' => 7, 'name' => 'accountSurrogate', 'kind' => 'message', 'presence' => 'any', 'type' => 'AccountSurrogate', 'least' => 0, 'most' => 512],
            ],
            'rule' => null,
        ],
        'SignOtpReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'otp', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 2048, 'secret' => true],
                ['number' => 2, 'name' => 'counter', 'kind' => 'uint64', 'presence' => 'optional', 'least' => 0, 'most' => PHP_INT_MAX],
            ],
            'rule' => null,
        ],
        'VerifyOtpRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'subject', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 128],
                ['number' => 2, 'name' => 'code', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 8],
            ],
            'rule' => null,
        ],
        'VerifyOtpReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'counter', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
            ],
            'rule' => null,
        ],
        'EnrolAuthenticatorRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'subject', 'kind' => 'string', 'presence' => 'required', 'least' => 1, 'most' => 128],
                ['number' => 2, 'name' => 'retryKey', 'kind' => 'bytes', 'presence' => 'required', 'least' => 16, 'most' => 16],
            ],
            'rule' => null,
        ],
        'EnrolAuthenticatorReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'secret', 'kind' => 'bytes', 'presence' => 'required', 'least' => 1, 'most' => 64, 'secret' => true],
                ['number' => 2, 'name' => 'number', 'kind' => 'uint32', 'presence' => 'any', 'least' => 0, 'most' => 4294967295],
                ['number' => 3, 'name' => 'otp', 'kind' => 'message', 'presence' => 'any', 'type' => 'OtpParameters', 'least' => 0, 'most' => 256],
            ],
            'rule' => null,
        ],
        'EcdhRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'peer', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 120],
                ['number' => 2, 'name' => 'release', 'kind' => 'bool', 'presence' => 'any', 'least' => 0, 'most' => 1],
            ],
            'rule' => null,
        ],
        'EcdhReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'handle', 'kind' => 'bytes', 'presence' => 'any', 'least' => 16, 'most' => 16],
                ['number' => 2, 'name' => 'sharedSecret', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 48, 'secret' => true],
            ],
            'rule' => null,
        ],
        'OtherInfo' => [
            'fields' => [
                ['number' => 1, 'name' => 'algorithmId', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 1024],
                ['number' => 2, 'name' => 'partyUInfo', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 1024],
                ['number' => 3, 'name' => 'partyVInfo', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 1024],
                ['number' => 4, 'name' => 'suppPubInfo', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 1024],
                ['number' => 5, 'name' => 'suppPrivInfo', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 1024],
            ],
            'rule' => null,
        ],
        'KdfRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'handle', 'kind' => 'bytes', 'presence' => 'required', 'least' => 16, 'most' => 16],
                ['number' => 2, 'name' => 'derivation', 'kind' => 'enum', 'presence' => 'required', 'type' => 'Derivation', 'least' => 0, 'most' => 9],
                ['number' => 3, 'name' => 'count', 'kind' => 'uint32', 'presence' => 'required', 'least' => 16, 'most' => 256],
                ['number' => 4, 'name' => 'info', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 1024],
                ['number' => 5, 'name' => 'otherInfo', 'kind' => 'message', 'presence' => 'any', 'type' => 'OtherInfo', 'least' => 0, 'most' => 5135],
                ['number' => 6, 'name' => 'salt', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 1024],
                ['number' => 7, 'name' => 'release', 'kind' => 'bool', 'presence' => 'any', 'least' => 0, 'most' => 1],
            ],
            'rule' => ['apart', 'info', 'otherInfo', 5],
        ],
        'KdfReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'handle', 'kind' => 'bytes', 'presence' => 'any', 'least' => 16, 'most' => 16],
                ['number' => 2, 'name' => 'derivedKey', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 256, 'secret' => true],
            ],
            'rule' => null,
        ],
        'SealRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'handle', 'kind' => 'bytes', 'presence' => 'any', 'least' => 16, 'most' => 16],
                ['number' => 3, 'name' => 'plaintext', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 65536],
                ['number' => 4, 'name' => 'associatedData', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 4096],
            ],
            'rule' => null,
        ],
        'SealReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'sealed', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 65581],
            ],
            'rule' => null,
        ],
        'UnsealRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'handle', 'kind' => 'bytes', 'presence' => 'any', 'least' => 16, 'most' => 16],
                ['number' => 2, 'name' => 'iv', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 16, 'sizes' => [12, 16]],
                ['number' => 3, 'name' => 'sealed', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 65581],
                ['number' => 4, 'name' => 'associatedData', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 4096],
            ],
            'rule' => null,
        ],
        'UnsealReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'plaintext', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 65581, 'secret' => true],
            ],
            'rule' => null,
        ],
        'SignRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'scheme', 'kind' => 'enum', 'presence' => 'required', 'type' => 'SignatureScheme', 'least' => 0, 'most' => 11],
                ['number' => 2, 'name' => 'digested', 'kind' => 'bool', 'presence' => 'any', 'least' => 0, 'most' => 1],
                ['number' => 3, 'name' => 'message', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 65536],
            ],
            'rule' => null,
        ],
        'SignReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'signature', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 512],
            ],
            'rule' => null,
        ],
        'VerifyRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'scheme', 'kind' => 'enum', 'presence' => 'required', 'type' => 'SignatureScheme', 'least' => 0, 'most' => 11],
                ['number' => 2, 'name' => 'digested', 'kind' => 'bool', 'presence' => 'any', 'least' => 0, 'most' => 1],
                ['number' => 3, 'name' => 'message', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 65536],
                ['number' => 4, 'name' => 'signature', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 512],
            ],
            'rule' => null,
        ],
        'MacRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'handle', 'kind' => 'bytes', 'presence' => 'any', 'least' => 16, 'most' => 16],
                ['number' => 2, 'name' => 'algorithm', 'kind' => 'enum', 'presence' => 'any', 'type' => 'MacAlgorithm', 'least' => 0, 'most' => 4],
                ['number' => 3, 'name' => 'length', 'kind' => 'uint32', 'presence' => 'any', 'least' => 0, 'most' => 64],
                ['number' => 4, 'name' => 'message', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 65536],
            ],
            'rule' => ['together', 'handle', 'algorithm', 2],
        ],
        'MacReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'mac', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 64, 'secret' => true],
            ],
            'rule' => null,
        ],
        'VerifyMacRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'handle', 'kind' => 'bytes', 'presence' => 'any', 'least' => 16, 'most' => 16],
                ['number' => 2, 'name' => 'algorithm', 'kind' => 'enum', 'presence' => 'any', 'type' => 'MacAlgorithm', 'least' => 0, 'most' => 4],
                ['number' => 3, 'name' => 'length', 'kind' => 'uint32', 'presence' => 'any', 'least' => 0, 'most' => 64],
                ['number' => 4, 'name' => 'message', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 65536],
                ['number' => 5, 'name' => 'mac', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 64],
            ],
            'rule' => ['together', 'handle', 'algorithm', 2],
        ],
        'UnwrapRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'wrappedKey', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 512],
            ],
            'rule' => null,
        ],
        'UnwrapReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'handle', 'kind' => 'bytes', 'presence' => 'required', 'least' => 16, 'most' => 16],
            ],
            'rule' => null,
        ],
        'ReleaseHandleRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'handle', 'kind' => 'bytes', 'presence' => 'required', 'least' => 16, 'most' => 16],
            ],
            'rule' => null,
        ],
        'TokeniseRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'pan', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 32],
                ['number' => 2, 'name' => 'merchantIdentifier', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 255],
                ['number' => 3, 'name' => 'transactionId', 'kind' => 'bytes', 'presence' => 'any', 'least' => 32, 'most' => 32],
                ['number' => 4, 'name' => 'lifetime', 'kind' => 'uint32', 'presence' => 'any', 'least' => 0, 'most' => 4294967295],
            ],
            'rule' => ['together', 'transactionId', 'lifetime', 4],
        ],
        'TokeniseReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'surrogate', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 32],
                ['number' => 3, 'name' => 'envelope', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 66048],
            ],
            'rule' => ['one', 'surrogate', 'envelope', 3],
        ],
        'DetokeniseRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'surrogate', 'kind' => 'string', 'presence' => 'required', 'least' => 1, 'most' => 32],
                ['number' => 3, 'name' => 'merchantIdentifier', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 255],
            ],
            'rule' => null,
        ],
        'DetokeniseReply' => [
            'fields' => [
                ['number' => 1, 'name' => 'pan', 'kind' => 'string', 'presence' => 'required', 'least' => 1, 'most' => 32, 'secret' => true],
            ],
            'rule' => null,
        ],
        'OpenEnvelopeRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'envelope', 'kind' => 'bytes', 'presence' => 'required', 'least' => 1, 'most' => 66048],
                ['number' => 2, 'name' => 'merchantIdentifier', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 255],
                ['number' => 3, 'name' => 'transactionId', 'kind' => 'bytes', 'presence' => 'required', 'least' => 32, 'most' => 32],
                ['number' => 4, 'name' => 'release', 'kind' => 'set', 'presence' => 'any', 'type' => 'ReleasedField', 'least' => 0, 'most' => 64, 'never' => [22]],
                ['number' => 5, 'name' => 'required', 'kind' => 'set', 'presence' => 'any', 'type' => 'ReleasedField', 'least' => 0, 'most' => 64, 'never' => [22]],
                ['number' => 6, 'name' => 'retryKey', 'kind' => 'bytes', 'presence' => 'any', 'least' => 16, 'most' => 16],
            ],
            'rule' => null,
        ],
        'StatusReport' => [
            'fields' => [
                ['number' => 1, 'name' => 'state', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 32],
                ['number' => 2, 'name' => 'productVersion', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 64],
                ['number' => 3, 'name' => 'rehearsal', 'kind' => 'bool', 'presence' => 'any', 'least' => 0, 'most' => 1],
                ['number' => 4, 'name' => 'started', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 5, 'name' => 'keys', 'kind' => 'uint32', 'presence' => 'any', 'least' => 0, 'most' => 4294967295],
                ['number' => 6, 'name' => 'connections', 'kind' => 'uint32', 'presence' => 'any', 'least' => 0, 'most' => 4294967295],
                ['number' => 7, 'name' => 'auditSize', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 8, 'name' => 'auditRoot', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 32],
                ['number' => 9, 'name' => 'auditVerifierKey', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 512],
                ['number' => 10, 'name' => 'policyHash', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 32],
                ['number' => 11, 'name' => 'arena', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 32],
                ['number' => 12, 'name' => 'arenaCapacity', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 13, 'name' => 'arenaUsed', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 14, 'name' => 'arenaPeak', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 15, 'name' => 'dumpable', 'kind' => 'bool', 'presence' => 'any', 'least' => 0, 'most' => 1],
                ['number' => 16, 'name' => 'lockedBytes', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 17, 'name' => 'swappedBytes', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 18, 'name' => 'coreDumps', 'kind' => 'bool', 'presence' => 'any', 'least' => 0, 'most' => 1],
                ['number' => 19, 'name' => 'ptraceScope', 'kind' => 'uint64', 'presence' => 'optional', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 20, 'name' => 'seccomp', 'kind' => 'uint32', 'presence' => 'any', 'least' => 0, 'most' => 4294967295],
                ['number' => 21, 'name' => 'landlock', 'kind' => 'bool', 'presence' => 'any', 'least' => 0, 'most' => 1],
                ['number' => 22, 'name' => 'auditCondition', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 32],
                ['number' => 23, 'name' => 'auditFree', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 24, 'name' => 'stackCapacity', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 25, 'name' => 'residentBytes', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 26, 'name' => 'unmatchedGrants', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 1024],
                ['number' => 27, 'name' => 'nextKeyEnd', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 28, 'name' => 'codeIntact', 'kind' => 'bool', 'presence' => 'any', 'least' => 0, 'most' => 1],
                ['number' => 29, 'name' => 'storeFill', 'kind' => 'uint32', 'presence' => 'any', 'least' => 0, 'most' => 4294967295],
            ],
            'rule' => null,
        ],
        'UnlockRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'passphrase', 'kind' => 'bytes', 'presence' => 'required', 'least' => 1, 'most' => 1024],
            ],
            'rule' => null,
        ],
        'ImportKeyRequest' => [
            'fields' => [
                ['number' => 1, 'name' => 'label', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 128],
                ['number' => 2, 'name' => 'role', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 64],
                ['number' => 3, 'name' => 'privateKey', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 8192],
                ['number' => 4, 'name' => 'certificate', 'kind' => 'bytes', 'presence' => 'any', 'least' => 0, 'most' => 8192],
                ['number' => 5, 'name' => 'merchantIdentifier', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 255],
                ['number' => 6, 'name' => 'activate', 'kind' => 'bool', 'presence' => 'any', 'least' => 0, 'most' => 1],
                ['number' => 7, 'name' => 'notAfter', 'kind' => 'uint64', 'presence' => 'any', 'least' => 0, 'most' => PHP_INT_MAX],
                ['number' => 8, 'name' => 'otp', 'kind' => 'message', 'presence' => 'any', 'type' => 'OtpParameters', 'least' => 0, 'most' => 256],
                ['number' => 9, 'name' => 'exportable', 'kind' => 'bool', 'presence' => 'any', 'least' => 0, 'most' => 1],
                ['number' => 10, 'name' => 'jweMembers', 'kind' => 'string', 'presence' => 'any', 'least' => 0, 'most' => 512],
            ],
            'rule' => null,
        ],
    ];

    /** By method: opcode, whether it takes a key, and the messages of request and reply, null for an empty body. */
    public const OPERATIONS = [
        'ping' => [0x0001, 'none', null, null],
        'describe' => [0x0002, 'none', null, 'DescribeReply'],
        'listKeys' => [0x0003, 'none', 'ListKeysRequest', 'ListKeysReply'],
        'describeKey' => [0x0004, 'required', null, 'KeyDescription'],
        'random' => [0x0005, 'none', 'RandomRequest', 'RandomReply'],
        'who' => [0x0006, 'none', null, 'WhoReply'],
        'auditDigest' => [0x0007, 'none', 'AuditDigestRequest', 'AuditDigestReply'],
        'ready' => [0x0008, 'none', null, null],
        'verifyPaymentToken' => [0x0010, 'optional', 'VerifyPaymentTokenRequest', 'VerifyPaymentTokenReply'],
        'openPaymentToken' => [0x0011, 'required', 'OpenPaymentTokenRequest', 'OpenPaymentTokenReply'],
        'provisionPass' => [0x0020, 'optional', 'ProvisionPassRequest', 'ProvisionPassReply'],
        'provisionTrace' => [0x0021, 'none', 'ProvisionTraceRequest', 'ProvisionTraceReply'],
        'signOtp' => [0x0030, 'required', 'SignOtpRequest', 'SignOtpReply'],
        'verifyOtp' => [0x0031, 'required', 'VerifyOtpRequest', 'VerifyOtpReply'],
        'enrolAuthenticator' => [0x0032, 'required', 'EnrolAuthenticatorRequest', 'EnrolAuthenticatorReply'],
        'ecdh' => [0x0040, 'required', 'EcdhRequest', 'EcdhReply'],
        'kdf' => [0x0041, 'required', 'KdfRequest', 'KdfReply'],
        'seal' => [0x0042, 'required', 'SealRequest', 'SealReply'],
        'unseal' => [0x0043, 'required', 'UnsealRequest', 'UnsealReply'],
        'sign' => [0x0044, 'required', 'SignRequest', 'SignReply'],
        'verify' => [0x0045, 'required', 'VerifyRequest', null],
        'mac' => [0x0046, 'required', 'MacRequest', 'MacReply'],
        'verifyMac' => [0x0047, 'required', 'VerifyMacRequest', null],
        'unwrap' => [0x0048, 'required', 'UnwrapRequest', 'UnwrapReply'],
        'releaseHandle' => [0x0049, 'required', 'ReleaseHandleRequest', null],
        'tokenise' => [0x0050, 'required', 'TokeniseRequest', 'TokeniseReply'],
        'detokenise' => [0x0051, 'required', 'DetokeniseRequest', 'DetokeniseReply'],
        'openEnvelope' => [0x0052, 'required', 'OpenEnvelopeRequest', 'OpenPaymentTokenReply'],
        'status' => [0x0100, 'none', null, 'StatusReport'],
        'unlock' => [0x0101, 'none', 'UnlockRequest', null],
        'lock' => [0x0102, 'none', null, null],
        'importKey' => [0x0103, 'none', 'ImportKeyRequest', 'KeyDescription'],
    ];
}
