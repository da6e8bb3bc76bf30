<?php

declare(strict_types=1);

namespace Kist;

use Kist\Enums\PassField;
use Kist\Enums\ReleasedField;
use Kist\Enums\Stage;
use Kist\Enums\Status;

/** Frames (PROTOCOL.md section 2), and the meaning of replies. @internal */
final class Frame
{
    public const LENGTH_SIZE = 4;
    private const VERSION = 1;
    /** Asks for the wait in a `busy` reply [WIRE-24]. */
    private const WAIT = 1;
    private const REQUEST_HEADER_SIZE = 28;
    private const REQUEST_MOST = 131072;
    private const REPLY_HEADER_SIZE = 20;
    private const REPLY_MOST = 1024 * 1024;
    private const UNAUDITED = '18446744073709551615';

    /** A whole request; `$id` has 8 bytes, `$key` 16. */
    public static function request(int $opcode, string $id, string $key, #[\SensitiveParameter] string $body, int $flags = self::WAIT): string
    {
        $length = self::REQUEST_HEADER_SIZE + strlen($body);
        if ($length > self::REQUEST_MOST) {
            throw new RequestException('the request is larger than the protocol takes');
        }
        return pack('NCCn', $length, self::VERSION, $flags, $opcode) . $id . $key . $body;
    }

    /** What follows a reply's length field. Throws `ReplyException` for a length that no reply has [WIRE-4]. */
    public static function replyLength(string $prefix): int
    {
        $length = unpack('N', $prefix)[1];
        if ($length < self::REPLY_HEADER_SIZE || $length > self::REPLY_MOST) {
            throw new ReplyException("a reply of $length bytes");
        }
        return $length;
    }

    /**
     * The 20 bytes after the length. Throws `Flaw` for another version or an unknown status.
     *
     * @return array{status: Status, opcode: int, id: string, sequence: int|string|null}
     */
    public static function header(string $reply): array
    {
        if (ord($reply[0]) !== self::VERSION) {
            throw new Flaw('version');
        }
        $status = Status::tryFrom(ord($reply[1])) ?? throw new Flaw('bad-value', 0);
        $sequence = Codec::unsigned(unpack('J', $reply, 12)[1]);
        return [
            'status' => $status,
            'opcode' => unpack('n', $reply, 2)[1],
            'id' => substr($reply, 4, 8),
            'sequence' => $sequence === self::UNAUDITED ? null : $sequence,
        ];
    }

    /**
     * The body of an answer and its audit sequence. `$isFirst` says whether it is the first of its connection.
     *
     * Throws `RefusedException`, and `Flaw` where the reply is not one to this request or breaks the protocol.
     *
     * @return array{string, int|string|null}
     */
    public static function answer(int $opcode, string $id, string $reply, bool $isFirst): array
    {
        ['status' => $status, 'opcode' => $theirs, 'id' => $theirId, 'sequence' => $sequence] = self::header($reply);
        $body = substr($reply, self::REPLY_HEADER_SIZE);
        if ($theirs !== $opcode || $theirId !== $id) {
            $isAboutConnection = $theirs === 0 && $theirId === str_repeat("\0", 8) && $body === '';
            // [WIRE-8] and, as the first reply, [WIRE-21].
            if ($isAboutConnection && ($status === Status::Malformed || ($status === Status::Busy && $isFirst))) {
                throw new RefusedException($status, $sequence, endsConnection: true);
            }
            throw new Flaw("another request's reply"); // [WIRE-19]
        }
        if ($status !== Status::Ok) {
            throw self::refusal($status, $sequence, $body);
        }
        return [$body, $sequence];
    }

    /** What a status means, with the body that goes with it [WIRE-18]. */
    private static function refusal(Status $status, int|string|null $sequence, string $body): RefusedException
    {
        if ($status === Status::ApprovalNeeded) { // [WIRE-20]
            $needed = Codec::decode('ApprovalNeeded', $body);
            return new RefusedException($status, $sequence, request: $needed['request'] ?? '', until: $needed['until'] ?? 0);
        }
        if ($body === '') {
            return new RefusedException($status, $sequence, endsConnection: $status === Status::Malformed);
        }
        return match ($status) {
            Status::Malformed => new RefusedException($status, $sequence, why: Codec::decode('Malformation', $body)['why'], endsConnection: true), // [WIRE-22]
            Status::Busy => new RefusedException($status, $sequence, retryAfter: Codec::decode('Busy', $body)['retryAfter']), // [WIRE-24]
            Status::Rejected => self::rejected($sequence, $body),
            default => throw new Flaw('trailing-bytes'),
        };
    }

    private static function rejected(int|string|null $sequence, string $body): RefusedException
    {
        $found = [];
        try {
            Codec::decode('Rejection', $body, $found);
        } catch (Flaw $flaw) {
            // A stage of a later daemon is a rejection like any other (section 8); a field that is unknown takes nothing from its stage.
            if ($flaw->fault !== 'bad-value') {
                throw $flaw;
            }
        }
        return new RefusedException(
            Status::Rejected,
            $sequence,
            Stage::tryFrom($found['stage'] ?? 0),
            PassField::tryFrom($found['field'] ?? 0),
            ReleasedField::tryFrom($found['releasedField'] ?? 0),
        );
    }
}
