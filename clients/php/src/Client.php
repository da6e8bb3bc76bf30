<?php

declare(strict_types=1);

namespace Kist;

use Kist\Enums\Status;
use Kist\Messages\KeyDescription;

/**
 * A connection to `kistd`, the key daemon for Apple Pay. It carries one request at a time, so it suits a request of PHP-FPM, and can be kept from one to the
 * next. It connects when it is first used, again when the connection has ended, and anew in a child process; only a token or an envelope that is opened with `retry`
 * is ever sent twice.
 */
final class Client
{
    use Operations;

    /** The services' socket of an installed daemon. */
    public const SERVICES = 'unix:/run/kist/kist.sock';
    /** The operators' socket. */
    public const OPERATORS = 'unix:/run/kist/admin.sock';

    private readonly string $path;
    private Connection $connection;
    private int $lastId = 0;

    /**
     * @param string|null $endpoint `unix:/PATH`; null for the environment's `KIST_ENDPOINT`, else the usual socket
     * @param float $timeout seconds for one call, connecting included
     * @throws EndpointException
     */
    public function __construct(?string $endpoint = null, private readonly float $timeout = 10.0)
    {
        Call::checkedTimeout($timeout);
        $endpoint ??= getenv('KIST_ENDPOINT') ?: self::SERVICES;
        if (preg_match('#^unix:(/[^\0]*)$#sD', $endpoint, $parts) !== 1) {
            throw new EndpointException('the endpoint is ' . json_encode($endpoint) . '; expected unix:/PATH');
        }
        $this->path = $parts[1];
        $this->connection = new Connection($this->path);
    }

    /** Ends the connection; another call opens a new one. */
    public function close(): void
    {
        $this->connection->close();
    }

    /**
     * 1 to 1024 random bytes from the daemon's kernel.
     *
     * @throws KistException
     */
    public function random(int $count, ?Call $call = null): Secret
    {
        $drawn = $this->call('random', null, ['count' => $count], $call)->random;
        return $drawn?->length() === $count ? $drawn : throw new ReplyException("another count of random bytes than $count");
    }

    /**
     * All keys that the caller may list, by label, whose label begins with `$prefix` and is covered by `$pattern`.
     *
     * @return list<KeyDescription>
     * @throws KistException
     */
    public function keys(string $prefix = '', string $pattern = '', ?Call $call = null): array
    {
        $keys = [];
        $last = '';
        do {
            $page = $this->listKeys(prefix: $prefix, after: $last, pattern: $pattern, call: $call);
            foreach ($page->keys as $key) {
                if ($keys !== [] && strcmp((string) $key->label, $last) <= 0) { // otherwise the listing might never end [OP-LIST-1]
                    throw new ReplyException('a listing whose labels do not ascend');
                }
                $keys[] = $key;
                $last = (string) $key->label;
            }
        } while ($page->more && $page->keys !== []);
        return $keys;
    }

    /**
     * The one key whose label `$pattern` covers, such as `merchant/acme/*`; destroyed keys are passed over.
     *
     * @throws NoSuchKeyException|SeveralKeysException|KistException
     */
    public function findKey(string $pattern, ?Call $call = null): KeyDescription
    {
        if ($pattern === '') {
            throw new RequestException('findKey: pattern is missing');
        }
        $found = array_values(array_filter($this->keys(pattern: $pattern, call: $call), static fn (KeyDescription $key): bool => $key->state !== 'destroyed'));
        return match (count($found)) {
            0 => throw new NoSuchKeyException("no key has the label '$pattern', or policy lets this caller list none that has"),
            1 => $found[0],
            default => throw new SeveralKeysException("'$pattern' covers several keys: " . implode(', ', array_column($found, 'label'))),
        };
    }

    /** What the methods of `Operations` do: an answer's object, or an exception that names the call. */
    private function call(string $name, ?string $key, #[\SensitiveParameter] array $values, ?Call $call): object
    {
        [$opcode, , $request, $reply] = Schema::OPERATIONS[$name];
        $isRepeated = $call?->retry ?? false;
        $isOpening = in_array($name, ['openPaymentToken', 'openEnvelope'], true);
        if ($isRepeated && !$isOpening) {
            throw new RequestException("$name: only what is opened once is sent again");
        }
        if ($isRepeated) {
            $values['retryKey'] ??= random_bytes(16);
        }
        try {
            $body = $request === null ? '' : Codec::encode($request, $values);
        } catch (Flaw $flaw) {
            throw new RequestException("$name: {$flaw->text}");
        }
        if ($key !== null && strlen($key) !== 16) {
            throw new RequestException("a key's id has 16 bytes, not " . strlen($key));
        }
        $retryKey = $isOpening ? $values['retryKey'] : null;
        $retryKey = $retryKey instanceof Secret ? $retryKey->text() : $retryKey;
        $attempt = function () use ($call, $opcode, $key, $body, $retryKey, $reply, $name): object {
            $id = $call?->id ?? pack('J', ++$this->lastId);
            try {
                $frame = Frame::request($opcode, $id, $key ?? str_repeat("\0", 16), $body);
                return $this->built($reply, $this->connection->call($opcode, $id, $frame, $call?->timeout ?? $this->timeout), $name);
            } catch (KistException $error) {
                $error->requestId = Codec::unsigned(unpack('J', $id)[1]);
                $error->retryKey = $retryKey;
                throw $error;
            }
        };
        try {
            return $attempt();
        } catch (DisconnectedException|TimeoutException $lost) {
            if (!$isRepeated) {
                throw $lost;
            }
            $this->connection->close();
            try {
                return $attempt();
            } catch (KistException $error) {
                throw self::isAboutDaemon($error) ? $lost : $error; // for the first may have been carried out
            }
        }
    }

    /** An answer's object. */
    private function built(?string $reply, #[\SensitiveParameter] array $answer, string $name): object
    {
        [$body, $sequence] = $answer;
        if ($reply === null) {
            if ($body !== '') {
                $this->connection->close();
                throw new ReplyException("$name: trailing-bytes");
            }
            return new Answer($sequence);
        }
        try {
            $values = Codec::decode($reply, $body);
        } catch (Flaw $flaw) {
            $this->connection->close();
            throw new ReplyException("$name: {$flaw->getMessage()}");
        }
        return self::object($reply, $values, ['auditSequence' => $sequence]);
    }

    /** A message's object; `$more` is what it has besides its fields. */
    private static function object(string $message, #[\SensitiveParameter] array $values, array $more = []): object
    {
        foreach (Schema::MESSAGES[$message]['fields'] as $field) {
            $name = $field['name'];
            if (!isset($values[$name])) {
                continue;
            }
            $made = static fn (mixed $item): mixed => match (true) {
                $field['kind'] === 'message' => self::object($field['type'], $item),
                $field['kind'] === 'enum', $field['kind'] === 'set' => ("Kist\\Enums\\{$field['type']}")::from($item),
                $field['secret'] ?? false => new Secret($item),
                default => $item,
            };
            $values[$name] = is_array($values[$name]) && $field['kind'] !== 'message' || $field['presence'] === 'repeated' ? array_map($made, $values[$name]) : $made($values[$name]);
        }
        return new ("Kist\\Messages\\$message")(...$values, ...$more);
    }

    /** Whether it could meet any request: so it says nothing of an earlier one. */
    private static function isAboutDaemon(KistException $error): bool
    {
        return $error instanceof UnreachableException
            || ($error instanceof RefusedException && (in_array($error->status, [Status::Locked, Status::AuditUnavailable], true) || ($error->status === Status::Busy && $error->endsConnection)));
    }
}
