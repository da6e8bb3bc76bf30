<?php

declare(strict_types=1);

namespace Kist;

/**
 * Encodes and decodes messages by the rules of PROTOCOL.md section 3: each has one encoding, all others are refused [WIRE-3].
 *
 * A message is an array of the fields that are present. Numbers of 64 bits are decimal texts where they are more than PHP_INT_MAX.
 *
 * @internal
 */
final class Codec
{
    private const UINT32_MOST = 4294967295;
    private const DELIMITED = ['bytes', 'string', 'set', 'message'];
    /** Numbers of enums that are sent in a set are one byte each. */
    private const SET_MOST = 255;

    private int $at = 0;

    private function __construct(#[\SensitiveParameter] private string $bytes)
    {
    }

    /** Throws `Flaw`; `$into` then has what stands in front of it. */
    public static function decode(string $name, #[\SensitiveParameter] string $body, array &$into = []): array
    {
        $reader = new self($body);
        ['fields' => $fields, 'rule' => $rule] = Schema::MESSAGES[$name];
        foreach ($fields as $field) {
            $reader->take($field, $into);
        }
        $reader->end();
        self::check($fields, $rule, $into);
        return $into;
    }

    /** The bytes of a message. Throws `Flaw` where `decode` would refuse the result, and `TypeError` where a value is of another type. */
    public static function encode(string $name, #[\SensitiveParameter] array $values): string
    {
        ['fields' => $fields, 'rule' => $rule] = Schema::MESSAGES[$name];
        $present = [];
        foreach ($fields as $field) {
            $item = self::exact($field, $values[$field['name']] ?? null);
            if ($item !== null) {
                $present[$field['name']] = $item;
            }
        }
        self::check($fields, $rule, $present);
        $bytes = '';
        foreach ($fields as $field) {
            $bytes .= self::field($field, $present[$field['name']] ?? null);
        }
        return $bytes;
    }

    /** A number of 64 bits that PHP has as a negative one from 2^63 on: then as decimal text. */
    public static function unsigned(int $number): int|string
    {
        return $number < 0 ? sprintf('%u', $number) : $number;
    }

    // Decoding

    /** Takes this field if it is next, with all of its elements if it is repeated. */
    private function take(array $field, array &$into): void
    {
        $name = $field['name'];
        if ($field['presence'] === 'repeated') {
            while ($this->takesTag($field)) {
                if (count($into[$name] ?? []) === $field['count']) {
                    throw new Flaw('too-long', $field['number']);
                }
                $into[$name][] = $this->value($field);
            }
        } elseif ($this->takesTag($field)) {
            $into[$name] = $this->value($field);
        } elseif ($field['presence'] === 'required') {
            if ($field['kind'] === 'message') {
                self::decode($field['type'], ''); // refused by its own first field, if that is required
            }
            throw new Flaw('bad-value', $field['number']);
        }
    }

    private function isAtEnd(): bool
    {
        return $this->at === strlen($this->bytes);
    }

    private function end(): void
    {
        if ($this->isAtEnd()) {
            return;
        }
        try {
            $tag = $this->tag();
        } catch (Flaw) {
            throw new Flaw('trailing-bytes');
        }
        throw new Flaw('unexpected-field', $tag >> 3);
    }

    /** A varint of at most 64 bits, as PHP has it: from 2^63 on it is negative. */
    private function varint(): int
    {
        $number = 0;
        for ($i = 0; $i < 10; $i++) {
            if ($this->isAtEnd()) {
                throw new Flaw('truncated');
            }
            $byte = ord($this->bytes[$this->at++]);
            if ($i === 9 && $byte > 1) {
                throw new Flaw('varint'); // has room for one bit
            }
            $number |= ($byte & 0x7F) << (7 * $i);
            if ($byte & 0x80) {
                continue;
            }
            if ($byte === 0 && $i > 0) {
                throw new Flaw('varint');
            }
            return $number;
        }
        throw new Flaw('varint');
    }

    private function tag(): int
    {
        $tag = $this->varint();
        if ($tag < 0 || $tag > self::UINT32_MOST) {
            throw new Flaw('varint');
        }
        return $tag;
    }

    private function takesTag(array $field): bool
    {
        if ($this->isAtEnd()) {
            return false;
        }
        $before = $this->at;
        $tag = $this->tag();
        $number = $tag >> 3;
        if ($number < $field['number']) {
            throw new Flaw('unexpected-field', $number);
        }
        if ($number > $field['number']) {
            $this->at = $before;
            return false;
        }
        if (($tag & 7) !== (self::isDelimited($field) ? 2 : 0)) {
            throw new Flaw('wire-type', $number);
        }
        return true;
    }

    private static function isDelimited(array $field): bool
    {
        return in_array($field['kind'], self::DELIMITED, true);
    }

    private function value(array $field): mixed
    {
        if (!self::isDelimited($field)) {
            return $this->number($field);
        }
        $part = $this->delimited($field);
        if ($field['kind'] === 'message') {
            return self::decode($field['type'], $part);
        }
        if ($field['kind'] === 'set') {
            return self::ascending($field, $part);
        }
        if (strlen($part) < $field['least']) {
            throw new Flaw('bad-value', $field['number']);
        }
        return $field['kind'] === 'string' ? self::checkedText($field, $part) : $part;
    }

    private function number(array $field): int|string|bool
    {
        $number = $this->varint();
        if ($number === 0 && $field['presence'] !== 'optional') {
            throw new Flaw('explicit-default', $field['number']);
        }
        if ($field['kind'] === 'uint64') {
            return self::unsigned($number);
        }
        $most = ['uint32' => self::UINT32_MOST, 'bool' => 1][$field['kind']] ?? PHP_INT_MAX;
        if ($number > $most || ($number < 0 && $most < PHP_INT_MAX)) {
            throw new Flaw('varint');
        }
        if ($number < $field['least'] || $number > $field['most']) {
            throw new Flaw('bad-value', $field['number']);
        }
        return $field['kind'] === 'bool' ? true : $number;
    }

    private function delimited(array $field): string
    {
        $length = $this->varint();
        if ($length < 0 || $length > strlen($this->bytes) - $this->at) {
            throw new Flaw('truncated');
        }
        if ($length > $field['most']) {
            throw new Flaw('too-long', $field['number']);
        }
        if ($length === 0 && $field['presence'] !== 'repeated') {
            throw new Flaw('explicit-default', $field['number']);
        }
        $part = substr($this->bytes, $this->at, $length);
        $this->at += $length;
        return $part;
    }

    /** @return list<int> */
    private static function ascending(array $field, string $packed): array
    {
        $reader = new self($packed);
        $numbers = [];
        for ($last = 0; !$reader->isAtEnd(); $last = $number) {
            $number = $reader->varint();
            if ($number <= $last || $number > self::SET_MOST) {
                throw new Flaw('bad-value', $field['number']);
            }
            $numbers[] = $number;
        }
        return $numbers;
    }

    // Encoding

    private static function field(array $field, mixed $item): string
    {
        if ($item === null) {
            if ($field['presence'] !== 'required') {
                return '';
            }
            if ($field['kind'] === 'message') {
                self::nested($field, []); // refused by its own first field, if that is required
            }
            throw self::breach('bad-value', $field, 'is missing');
        }
        $elements = $field['presence'] === 'repeated' ? $item : [$item];
        if (count($elements) > ($field['count'] ?? 1)) {
            throw self::breach('too-long', $field, 'has ' . count($elements) . " elements; it takes at most {$field['count']}");
        }
        return implode('', array_map(static fn (mixed $element): string => self::element($field, $element), $elements));
    }

    private static function element(array $field, mixed $item): string
    {
        if (!self::isDelimited($field)) {
            return self::tagged($field['number'] << 3) . self::tagged(self::checkedNumber($field, $item));
        }
        $part = match ($field['kind']) {
            'message' => self::nested($field, $item),
            'set' => self::packed($item),
            default => $item,
        };
        $size = strlen($part);
        if ($size > $field['most']) {
            throw self::breach('too-long', $field, "has $size bytes; it takes " . self::range($field));
        }
        if ($field['kind'] !== 'message' && $size < $field['least']) {
            throw self::breach('bad-value', $field, "has $size bytes; it takes " . self::range($field));
        }
        return self::tagged($field['number'] << 3 | 2) . self::tagged($size) . $part;
    }

    private static function nested(array $field, array $item): string
    {
        try {
            return self::encode($field['type'], $item);
        } catch (Flaw $flaw) {
            $flaw->text = "{$field['name']}.{$flaw->text}";
            throw $flaw;
        }
    }

    private static function checkedNumber(array $field, int|string $number): int
    {
        if (is_string($number)) {
            return self::wide($number);
        }
        if ($field['kind'] !== 'uint64' && ($number < $field['least'] || $number > $field['most'])) {
            throw self::breach('bad-value', $field, "is $number; it takes " . self::range($field));
        }
        return $number;
    }

    /** The bits of a decimal text of more than PHP_INT_MAX. */
    private static function wide(string $digits): int
    {
        $number = 0;
        foreach (str_split($digits) as $digit) {
            // Ten times what it is, and the digit, in 64 bits: PHP's own arithmetic would make a float of it.
            $number = self::sum(self::sum($number << 3, $number << 1), (int) $digit);
        }
        return $number;
    }

    private static function sum(int $one, int $other): int
    {
        while ($other !== 0) {
            [$one, $other] = [$one ^ $other, ($one & $other) << 1];
        }
        return $one;
    }

    /** A varint of 64 bits; a negative number is one from 2^63 on. */
    private static function tagged(int $number): string
    {
        $bytes = '';
        while ($number < 0 || $number >= 0x80) {
            $bytes .= chr($number & 0x7F | 0x80);
            $number = $number >> 7 & (PHP_INT_MAX >> 6);
        }
        return $bytes . chr($number);
    }

    /** @param list<int> $numbers */
    private static function packed(array $numbers): string
    {
        $numbers = array_unique($numbers);
        sort($numbers);
        return implode('', array_map(chr(...), $numbers));
    }

    /** The value to encode, its meaning unchanged; null for what is absent, or a default that cannot be sent. */
    private static function exact(array $field, mixed $item): mixed
    {
        if ($item === null) {
            return null;
        }
        if ($field['presence'] === 'repeated' || $field['kind'] === 'set') {
            if (!is_array($item)) {
                throw new \TypeError("{$field['name']} takes an array, not " . get_debug_type($item));
            }
            $item = array_map(static fn (mixed $element): mixed => self::exactElement($field, $element), array_values($item));
            return $item === [] ? null : $item;
        }
        $value = self::exactElement($field, $item);
        return $field['presence'] === 'optional' || !self::isDefault($field, $value) ? $value : null;
    }

    private static function isDefault(array $field, mixed $value): bool
    {
        if ($field['kind'] !== 'message') {
            return $value === '' || $value === 0;
        }
        foreach (Schema::MESSAGES[$field['type']]['fields'] as $part) {
            if (self::exact($part, $value[$part['name']] ?? null) !== null) {
                return false;
            }
        }
        return true;
    }

    private static function exactElement(array $field, mixed $item): mixed
    {
        if ($item instanceof Secret) {
            $item = $item->text();
        }
        $isRight = match ($field['kind']) {
            'message' => is_object($item) || is_array($item),
            'bytes', 'string' => is_string($item),
            'bool' => is_bool($item),
            'uint64' => is_int($item) || (is_string($item) && preg_match('/^(?=.{19,20}$)[1-9][0-9]*$/D', $item) === 1 && sprintf('%u', self::wide($item)) === $item),
            default => is_int($item) || $item instanceof \BackedEnum,
        };
        if (!$isRight) {
            throw new \TypeError("{$field['name']} takes " . self::kind($field) . ', not ' . get_debug_type($item));
        }
        return match ($field['kind']) {
            'message' => is_object($item) ? get_object_vars($item) : $item,
            'string' => self::checkedText($field, $item),
            'bytes' => $item,
            'bool' => (int) $item,
            default => self::notNegative($field, $item instanceof \BackedEnum ? $item->value : $item),
        };
    }

    private static function notNegative(array $field, int|string $number): int|string
    {
        if (is_int($number) && $number < 0) {
            throw self::breach('bad-value', $field, "is $number; it is not negative");
        }
        return $number;
    }

    private static function kind(array $field): string
    {
        return match ($field['kind']) {
            'message' => $field['type'],
            'bytes', 'string' => 'a string',
            'bool' => 'a bool',
            'enum', 'set' => "Enums\\{$field['type']}",
            default => 'an int',
        };
    }

    // Both ways

    /** What bounds do not say: the numbers of an enum that has gaps or that cannot be asked for, sizes, and the rule. */
    private static function check(array $fields, ?array $rule, array $present): void
    {
        foreach ($fields as $field) {
            $item = $present[$field['name']] ?? null;
            if ($item === null) {
                continue;
            }
            foreach ($field['kind'] === 'set' ? $item : ($field['kind'] === 'enum' ? [$item] : []) as $number) {
                if (("Kist\\Enums\\{$field['type']}")::tryFrom($number) === null || in_array($number, $field['never'] ?? [], true)) {
                    throw self::breach('bad-value', $field, 'is none of the values it takes here');
                }
            }
            if (isset($field['sizes']) && !in_array(strlen($item), $field['sizes'], true)) {
                throw self::breach('bad-value', $field, 'has ' . strlen($item) . ' bytes; it takes ' . implode(' or ', $field['sizes']));
            }
        }
        if ($rule === null) {
            return;
        }
        [$kind, $first, $second, $number] = $rule;
        $count = (int) isset($present[$first]) + (int) isset($present[$second]);
        if (!($kind === 'apart' ? $count < 2 : ($count === 1) === ($kind === 'one'))) {
            throw new Flaw('bad-value', $number, "$second does not go with $first as it is");
        }
    }

    private static function checkedText(array $field, string $text): string
    {
        return preg_match('//u', $text) === 1 ? $text : throw self::breach('text', $field, 'is not UTF-8');
    }

    private static function range(array $field): string
    {
        if ($field['least'] === $field['most']) {
            return (string) $field['most'];
        }
        return $field['least'] > 0 ? "{$field['least']} to {$field['most']}" : "at most {$field['most']}";
    }

    private static function breach(string $fault, array $field, string $text): Flaw
    {
        return new Flaw($fault, $field['number'], "{$field['name']} $text");
    }
}
