<?php

declare(strict_types=1);

namespace Kist;

/** JSON as strictly as the daemon's own programs read it: unambiguous and bounded. @internal */
final class Json
{
    private const DEPTH = 16;
    private const VALUES = 1024;
    private const MEMBERS = 64;

    private int $at = 0;
    private int $count = 0;

    /** @param list<string> $tokens */
    private function __construct(private readonly array $tokens)
    {
    }

    /**
     * The value of a whole text; an object is an ArrayObject.
     *
     * Throws UnexpectedValueException if it is not RFC 8259, names a member twice, has half a surrogate pair, or more or deeper values than the bounds allow.
     */
    public static function parse(string $text): mixed
    {
        try {
            // Only what is JSON goes to the reader below. PHP refuses half a surrogate pair, and text that is not UTF-8.
            json_decode($text, false, self::DEPTH + 1, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
        } catch (\JsonException) {
            throw new \UnexpectedValueException('no JSON');
        }
        preg_match_all('/"(?:[^"\\\\]|\\\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+/s', $text, $found);
        return (new self($found[0]))->value(0);
    }

    private function value(int $depth): mixed
    {
        $this->count();
        $token = $this->tokens[$this->at++];
        return match ($token[0]) {
            '{' => $this->members(self::nested($depth)),
            '[' => $this->elements(self::nested($depth)),
            default => json_decode($token, false, 2, JSON_THROW_ON_ERROR),
        };
    }

    private function members(int $depth): \ArrayObject
    {
        $found = new \ArrayObject();
        while ($this->tokens[$this->at] !== '}') {
            $this->at += (int) ($this->tokens[$this->at] === ',');
            $this->count();
            $name = json_decode($this->tokens[$this->at], false, 2, JSON_THROW_ON_ERROR);
            $this->at += 2; // and the colon
            if ($found->offsetExists("$name") || count($found) === self::MEMBERS) {
                throw new \UnexpectedValueException('a name is there twice, or there are too many');
            }
            $found["$name"] = $this->value($depth);
        }
        $this->at++;
        return $found;
    }

    /** @return list<mixed> */
    private function elements(int $depth): array
    {
        $found = [];
        while ($this->tokens[$this->at] !== ']') {
            $this->at += (int) ($this->tokens[$this->at] === ',');
            $found[] = $this->value($depth);
        }
        $this->at++;
        return $found;
    }

    private function count(): void
    {
        if (++$this->count > self::VALUES) {
            throw new \UnexpectedValueException('too many values');
        }
    }

    private static function nested(int $depth): int
    {
        return $depth < self::DEPTH ? $depth + 1 : throw new \UnexpectedValueException('too deep');
    }
}
