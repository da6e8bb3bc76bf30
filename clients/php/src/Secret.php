<?php

declare(strict_types=1);

namespace Kist;

/** Bytes that are printed nowhere. `text` gives them away, and what is made of that is not wiped. */
final class Secret implements \JsonSerializable
{
    public function __construct(#[\SensitiveParameter] private string $bytes)
    {
    }

    /** The bytes, which are UTF-8 where the field is a text. */
    public function text(): string
    {
        return $this->bytes;
    }

    public function length(): int
    {
        return strlen($this->bytes);
    }

    /** Overwrites this copy of the bytes with zeros. */
    public function wipe(): void
    {
        for ($i = strlen($this->bytes) - 1; $i >= 0; $i--) {
            $this->bytes[$i] = "\0";
        }
    }

    public function __toString(): string
    {
        return "[secret of {$this->length()} bytes]";
    }

    public function __debugInfo(): array
    {
        return ['length' => $this->length()];
    }

    public function jsonSerialize(): string
    {
        return (string) $this;
    }

    public function __serialize(): array
    {
        throw new \LogicException('a secret is not stored');
    }
}
