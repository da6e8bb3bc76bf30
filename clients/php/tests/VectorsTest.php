<?php

declare(strict_types=1);

namespace Kist\Tests;

use Kist\Codec;
use Kist\Flaw;
use Kist\Frame;
use Kist\ReplyException;
use Kist\Schema;
use Kist\Token;
use Kist\TokenException;
use PHPUnit\Framework\TestCase;

/** The golden vectors of PROTOCOL.md section 10, and the table of Apple's JSON that all clients read. */
final class VectorsTest extends TestCase
{
    private const VECTORS = __DIR__ . '/../../../proto/vectors';

    /** @return array<string, array{array<string, mixed>}> */
    public static function vectors(): array
    {
        $vectors = [];
        foreach (glob(self::VECTORS . '/*.txt') as $path) {
            $vector = ['fields' => [], 'bytes' => '', 'message' => null, 'frame' => null, 'error' => null];
            foreach (explode("\n", rtrim(file_get_contents($path), "\n")) as $line) {
                [$key, $value] = [strstr($line, ':', true), preg_replace('/^[a-z]+: ?/', '', $line)];
                match ($key) {
                    'field' => $vector['fields'][] = $value,
                    'bytes' => $vector['bytes'] .= hex2bin($value),
                    'message', 'frame', 'expect', 'error', 'comment' => $vector[$key] = $value,
                };
            }
            // Requests are refused by daemons alone, and messages of operators' operations read by their programs.
            $isOurs = $vector['frame'] === 'request' ? $vector['expect'] === 'ok' : $vector['message'] === null || isset(Schema::MESSAGES[$vector['message']]);
            if ($isOurs) {
                $vectors[basename($path)] = [$vector];
            }
        }
        return $vectors;
    }

    /** @dataProvider vectors */
    public function testVector(array $vector): void
    {
        ['message' => $message, 'frame' => $frame, 'bytes' => $bytes] = $vector;
        if ($vector['expect'] === 'malformed') {
            $this->assertSame($vector['error'], self::fault(static fn () => $frame === null ? Codec::decode($message, $bytes) : self::frames($bytes)));
        } elseif ($frame === 'request') {
            $this->assertSame(bin2hex($bytes), bin2hex(self::requests($vector['fields'])));
        } elseif ($frame === 'reply') {
            $this->assertSame($vector['fields'], self::frames($bytes));
        } else {
            $values = Codec::decode($message, $bytes);
            $this->assertSame($vector['fields'], self::listing($message, $values));
            $this->assertSame(bin2hex($bytes), bin2hex(Codec::encode($message, $values)));
        }
    }

    public function testEveryVector(): void
    {
        $vectors = self::vectors();
        $this->assertGreaterThanOrEqual(343, count($vectors));
        $named = array_unique(array_map(static fn (array $row): ?string => $row[0]['message'], $vectors));
        $this->assertSame([], array_diff(array_keys(Schema::MESSAGES), $named));
    }

    /** What was decoded as the vectors list it. */
    private static function listing(string $message, array $values, string $prefix = ''): array
    {
        $lines = [];
        foreach (Schema::MESSAGES[$message]['fields'] as $field) {
            if (!isset($values[$field['name']])) {
                continue;
            }
            $isMany = $field['presence'] === 'repeated' || $field['kind'] === 'set';
            foreach ($isMany ? $values[$field['name']] : [$values[$field['name']]] as $index => $item) {
                $path = $prefix . strtolower(preg_replace('/[A-Z]/', '_$0', $field['name'])) . ($isMany ? "[$index]" : '');
                array_push($lines, ...match ($field['kind']) {
                    'message' => self::listing($field['type'], $item, "$path."),
                    'bytes' => ["$path = hex:" . bin2hex($item)],
                    'string' => ["$path = text:$item"],
                    'bool' => ["$path = true"],
                    default => ["$path = $item"],
                });
            }
        }
        return $lines;
    }

    /** Frame behind frame, as a client reads them. */
    private static function frames(string $bytes): array
    {
        $lines = [];
        for ($index = 0; $bytes !== ''; $index++) {
            if (strlen($bytes) < 4) {
                throw new Flaw('truncated');
            }
            $length = Frame::replyLength(substr($bytes, 0, 4));
            $reply = substr($bytes, 4, $length);
            if (strlen($reply) < 20) {
                throw new Flaw('truncated');
            }
            ['status' => $status, 'opcode' => $opcode, 'id' => $id, 'sequence' => $sequence] = Frame::header($reply);
            if (strlen($reply) < $length) {
                throw new Flaw('truncated');
            }
            array_push(
                $lines,
                "frame[$index].status = {$status->value}",
                "frame[$index].opcode = $opcode",
                "frame[$index].request_id = " . sprintf('%u', unpack('J', $id)[1]),
                "frame[$index].audit_sequence = " . ($sequence ?? '18446744073709551615'),
                "frame[$index].body = hex:" . bin2hex(substr($reply, 20)),
            );
            $bytes = substr($bytes, 4 + $length);
        }
        return $lines;
    }

    /** A client writes requests and never reads one: the bytes that come of what is listed. */
    private static function requests(array $fields): string
    {
        $bytes = '';
        foreach (array_chunk($fields, 5) as $part) {
            [$flags, $opcode, $id, $key, $body] = preg_replace('/^.* = (hex:)?/', '', $part);
            $octets = $id === '18446744073709551615' ? str_repeat("\xff", 8) : pack('J', (int) $id);
            $bytes .= Frame::request((int) $opcode, $octets, hex2bin($key), hex2bin($body), (int) $flags);
        }
        return $bytes;
    }

    /** The golden vectors' name of what is wrong. */
    private static function fault(\Closure $body): string
    {
        try {
            $body();
        } catch (Flaw $flaw) {
            return $flaw->getMessage();
        } catch (ReplyException) {
            return 'frame-size';
        }
        return 'ok';
    }

    /** @return array<string, array{string, string}> */
    public static function texts(): array
    {
        $rows = [];
        foreach (file(self::VECTORS . '/payment-token-json.table', FILE_IGNORE_NEW_LINES) as $line) {
            if ($line !== '' && $line[0] !== '#') {
                [$outcome, $name, $text] = explode(' | ', $line, 3);
                $rows[$name] = [$outcome, str_starts_with($text, 'hex:') ? hex2bin(substr($text, 4)) : $text];
            }
        }
        return $rows;
    }

    /** @dataProvider texts */
    public function testTokenTable(string $outcome, string $text): void
    {
        if ($outcome === 'ok') {
            $token = Token::unwrapped($text);
            $hex = array_map(static fn (mixed $part): mixed => is_string($part) ? bin2hex($part) : $part?->text(), get_object_vars($token));
            $expected = ['data' => '000102ff', 'signature' => '3080', 'publicKeyHash' => 'abcd', 'transactionId' => '00ff', 'ephemeralPublicKey' => '3059', 'version' => 'EC_v1'];
            $this->assertEquals($expected, array_filter($hex, static fn (mixed $part): bool => $part !== null));
            return;
        }
        [$kind, $member] = [...explode(' ', $outcome), ''];
        $said = [
            'not-json' => 'neither JSON nor base64 of JSON',
            'not-token' => 'JSON, but no token|no token within so many objects',
            'unknown-version' => 'neither EC_v1 nor RSA_v1',
            'simulator' => "a token of Apple's simulator: nothing can open it",
            'missing' => "the token has no $member",
            'malformed' => "$member is not (base64|hexadecimal|text|an object)",
            'empty' => "$member is empty",
        ];
        $this->expectException(TokenException::class);
        $this->expectExceptionMessageMatches("~^({$said[$kind]})$~D");
        Token::fromApple($text);
    }

    public function testTheWholeTokenTable(): void
    {
        $this->assertCount(121, self::texts());
        $this->expectExceptionMessage('publicKeyHash has 2 bytes; it takes 32'); // [WIRE-12]
        Token::fromApple(self::texts()['a token'][1]);
    }
}
