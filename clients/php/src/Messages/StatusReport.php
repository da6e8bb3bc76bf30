<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

final class StatusReport
{
    public function __construct(
        /** at most 32 bytes */
        public readonly ?string $state = null,
        /** at most 64 bytes */
        public readonly ?string $productVersion = null,
        public readonly bool $rehearsal = false,
        /** seconds since 1970 */
        public readonly int|string $started = 0,
        public readonly int $keys = 0,
        /** open now */
        public readonly int $connections = 0,
        /** records in the log */
        public readonly int|string $auditSize = 0,
        /** at most 32 bytes */
        public readonly ?string $auditRoot = null,
        /** at most 512 bytes */
        public readonly ?string $auditVerifierKey = null,
        /** at most 32 bytes */
        public readonly ?string $policyHash = null,
        /** at most 32 bytes */
        public readonly ?string $arena = null,
        /** bytes */
        public readonly int|string $arenaCapacity = 0,
        /** bytes */
        public readonly int|string $arenaUsed = 0,
        /** the most bytes that were in use */
        public readonly int|string $arenaPeak = 0,
        /** whether the kernel would let the process be traced */
        public readonly bool $dumpable = false,
        public readonly int|string $lockedBytes = 0,
        public readonly int|string $swappedBytes = 0,
        /** whether the kernel would write one */
        public readonly bool $coreDumps = false,
        /** absent without Yama */
        public readonly int|string|null $ptraceScope = null,
        public readonly int $seccomp = 0,
        public readonly bool $landlock = false,
        /** at most 32 bytes */
        public readonly ?string $auditCondition = null,
        public readonly int|string $auditFree = 0,
        public readonly int|string $stackCapacity = 0,
        public readonly int|string $residentBytes = 0,
        /** at most 1024 bytes */
        public readonly ?string $unmatchedGrants = null,
        public readonly int|string $nextKeyEnd = 0,
        public readonly bool $codeIntact = false,
        public readonly int $storeFill = 0,
        /** The record of the request in the audit log; null if there is none. */
        public readonly int|string|null $auditSequence = null,
    ) {
    }
}
