<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

/** The parts of OtherInfo, put behind one another as they are. */
final class OtherInfo
{
    public function __construct(
        /** at most 1024 bytes; SP 800-56A r3 §5.8.2.1.1 */
        public readonly ?string $algorithmId = null,
        /** at most 1024 bytes; the same */
        public readonly ?string $partyUInfo = null,
        /** at most 1024 bytes; the same */
        public readonly ?string $partyVInfo = null,
        /** at most 1024 bytes; the same */
        public readonly ?string $suppPubInfo = null,
        /** at most 1024 bytes; the same */
        public readonly ?string $suppPrivInfo = null,
    ) {
    }
}
