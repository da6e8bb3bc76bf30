<?php

declare(strict_types=1);

namespace Kist\Tests;

use Kist\Call;
use Kist\Client;
use Kist\DisconnectedException;
use Kist\EndpointException;
use Kist\Enums\Derivation;
use Kist\Enums\EncryptionScheme;
use Kist\Enums\PassConfiguration;
use Kist\Enums\ReleasedField;
use Kist\Enums\SignatureScheme;
use Kist\Enums\Status;
use Kist\Enums\TokenVersion;
use Kist\Jws;
use Kist\KistException;
use Kist\Messages\OtherInfo;
use Kist\RefusedException;
use Kist\ReplyException;
use Kist\RequestException;
use Kist\Secret;
use Kist\TimeoutException;
use Kist\Token;
use Kist\UnreachableException;
use PHPUnit\Framework\TestCase;

/** Servers that lie, die, wait and come back. */
final class TransportTest extends TestCase
{
    private const KEY = '0123456789abcdef';

    /** What a call throws. */
    private function thrown(\Closure $call): \Throwable
    {
        try {
            $call();
        } catch (\Throwable $error) {
            return $error;
        }
        $this->fail('nothing was thrown');
    }

    private static function aToken(): Token
    {
        return new Token(version: TokenVersion::EcV1, publicKeyHash: str_repeat('h', 32), transactionId: str_repeat('t', 32), data: 'd', signature: 's');
    }

    private static function open(Client $client, string $what, ?string $key, bool $retry, float $timeout = 0.15): object
    {
        $call = new Call(retry: $retry, timeout: $timeout);
        return $what === 'token'
            ? $client->openPaymentToken(self::KEY, self::aToken(), retryKey: $key, call: $call)
            : $client->openEnvelope(self::KEY, envelope: 'e', transactionId: str_repeat('t', 32), merchantIdentifier: 'm', retryKey: $key, call: $call);
    }

    /** @return array<string, array{string, string}> */
    public static function replies(): array
    {
        $rows = [];
        foreach (file(__DIR__ . '/../../replies.txt', FILE_IGNORE_NEW_LINES) as $line) {
            if ($line !== '' && $line[0] !== '#') {
                [$outcome, $name, $hex] = array_map('trim', explode('|', $line));
                $rows[$name] = [$outcome, $name, $hex];
            }
        }
        return $rows;
    }

    /** @dataProvider replies */
    public function testReply(string $outcome, string $name, string $hex): void
    {
        $server = new FakeServer(answer: $hex);
        if ($outcome === 'ok') {
            $this->assertSame('01020304', bin2hex($server->client()->random(4)->text()));
            return;
        }
        $error = $this->thrown(static fn () => $server->client()->random(4));
        $this->assertSame(1, $error->requestId);
        $kinds = ['disconnected' => DisconnectedException::class, 'reply' => ReplyException::class];
        $this->assertInstanceOf($kinds[$outcome] ?? RefusedException::class, $error);
        if (!$error instanceof RefusedException) {
            return;
        }
        $this->assertSame([$outcome, 41], [$error->status->text(), $error->auditSequence]);
        $told = [$error->stage?->text(), $error->field?->text(), $error->releasedField?->text(), $error->why, $error->retryAfter, $error->request, $error->until];
        $this->assertSame(match ($name) {
            'rejected with a stage' => ['signing-time', 'nonce', null, null, null, null, null],
            'rejected with the last field' => ['missing-field', 'account-surrogate', null, null, null, null, null],
            'rejected with the last released field' => ['not-released', null, 'jwe', null, null, null, null],
            'rejected with a field of a later daemon' => ['missing-field', null, null, null, null, null, null],
            'rejected with a released field of a later daemon', 'rejected with a released field that is none' => ['not-released', null, null, null, null, null, null],
            'malformed, and why' => [null, null, null, 'count is 9', null, null, null],
            'busy, and for how long' => [null, null, null, null, 250, null, null],
            'approval-needed' => [null, null, null, null, null, '1a2b3c4d', 1767225600],
            default => array_fill(0, 7, null),
        }, $told);
    }

    public function testFewerBytesThanAskedFor(): void
    {
        $server = new FakeServer(answer: '0000001a01000005000000000000000100000000000000290a0401020304');
        $this->assertInstanceOf(ReplyException::class, $this->thrown(static fn () => $server->client()->random(5)));
    }

    public function testOverTheCaps(): void
    {
        $server = new FakeServer(greeting: FakeServer::refusal(Status::Busy));
        $client = $server->client();
        for ($i = 0; $i < 20; $i++) {
            $error = $this->thrown(static fn () => $client->random(1));
            $this->assertInstanceOf(RefusedException::class, $error, $error::class . $error->getMessage());
            $this->assertSame([Status::Busy, true], [$error->status, $error->endsConnection]);
        }
    }

    public function testReconnectsAndNeverRepeats(): void
    {
        $server = new FakeServer(hangUpAfter: 1);
        $client = $server->client();
        for ($i = 1; $i <= 20; $i++) {
            $client->random(1);
            usleep(2000); // until the server has hung up, a request that crosses its end is lost
            $this->assertSame([$i, $i], [$server->connections(), count($server->requests())]);
        }
        $lost = new FakeServer(drops: 1);
        $this->assertInstanceOf(DisconnectedException::class, $this->thrown(static fn () => $lost->client()->random(1)));
        $this->assertCount(1, $lost->requests());
    }

    public function testEndpoints(): void
    {
        $error = $this->thrown(static fn () => (new Client('unix:/nowhere/kist.sock'))->ping());
        $this->assertSame([UnreachableException::class, 2], [$error::class, $error->getCode()]);
        $error = $this->thrown(static fn () => (new Client('unix:/' . str_repeat('a', 107)))->ping());
        $this->assertSame([UnreachableException::class, 36], [$error::class, $error->getCode()]);
        foreach (['', 'unix:', 'unix:relative', 'tcp:127.0.0.1:1', '/run/kist/kist.sock', "unix:/a\0b", 'UNIX:/a'] as $endpoint) {
            $this->assertInstanceOf(EndpointException::class, $this->thrown(static fn () => new Client($endpoint)), $endpoint);
        }
        $server = new FakeServer();
        putenv("KIST_ENDPOINT={$server->endpoint}");
        $this->assertNull((new Client())->ping()->auditSequence);
        putenv('KIST_ENDPOINT=tcp:');
        $this->assertInstanceOf(EndpointException::class, $this->thrown(static fn () => new Client()));
        putenv('KIST_ENDPOINT');
    }

    public function testFullBacklog(): void
    {
        $path = sys_get_temp_dir() . '/kist-full-' . bin2hex(random_bytes(6));
        $listener = socket_create(AF_UNIX, SOCK_STREAM, 0);
        socket_bind($listener, $path);
        socket_listen($listener, 0);
        $waiting = stream_socket_client("unix://$path");
        $started = hrtime(true);
        $error = $this->thrown(static fn () => (new Client("unix:$path", 0.06))->ping());
        $this->assertSame([UnreachableException::class, 11, "$path: the daemon takes no more connections"], [$error::class, $error->getCode(), $error->getMessage()]);
        $this->assertGreaterThan(50e6, hrtime(true) - $started);
        unlink($path);
        fclose($waiting);
    }

    public function testTimeout(): void
    {
        $server = new FakeServer(silences: 1);
        $client = $server->client();
        $error = $this->thrown(static fn () => $client->random(1, new Call(requestId: 'order-17', timeout: 0.05)));
        $this->assertInstanceOf(TimeoutException::class, $error);
        $this->assertSame(unpack('J', substr($server->requests()[0], 4, 8))[1], (int) $error->requestId);
        $this->assertSame(1, $client->random(1)->length()); // a late reply would not be taken for this one's
        $this->assertSame(2, $server->connections());
        foreach ([0.0, -1.0, NAN, INF] as $timeout) {
            $this->assertInstanceOf(\ValueError::class, $this->thrown(static fn () => new Client('unix:/a', $timeout)));
            $this->assertInstanceOf(\ValueError::class, $this->thrown(static fn () => new Call(timeout: $timeout)));
        }
        foreach ([0, -1] as $id) {
            $this->assertInstanceOf(\ValueError::class, $this->thrown(static fn () => new Call(requestId: $id)));
        }
        $this->assertSame(['00000000000000ff', 'fcdb4b423f4e5283'], [bin2hex((new Call('00000000000000ff'))->id), bin2hex((new Call('0000000000000000'))->id)]);
    }

    public function testFork(): void
    {
        $server = new FakeServer();
        $client = $server->client();
        $client->random(1);
        $children = [];
        for ($i = 0; $i < 8; $i++) {
            $child = pcntl_fork();
            if ($child === 0) {
                for ($good = 0, $j = 0; $j < 25; $j++) {
                    $good += $client->random($j + 1)->length() === $j + 1 ? 1 : 0;
                }
                posix_kill(getmypid(), $good === 25 ? SIGKILL : SIGTERM); // without what a test's end would do
            }
            $children[] = $child;
        }
        foreach ($children as $child) {
            pcntl_waitpid($child, $status);
            $this->assertSame(SIGKILL, pcntl_wtermsig($status));
        }
        $client->random(1); // the parent's own connection is as it was
        $this->assertSame([9, 202], [$server->connections(), count($server->requests())]);
    }

    /** @return iterable<array{string, int, int, int, ?string, bool, ?class-string, int}> */
    public static function lost(): iterable
    {
        foreach (['token' => 7, 'envelope' => 6] as $what => $number) {
            yield [$what, $number, 0, 0, null, true, null, 1];
            yield [$what, $number, 1, 0, null, true, null, 2];
            yield [$what, $number, 0, 1, self::KEY, true, null, 2];
            yield [$what, $number, 2, 0, self::KEY, true, DisconnectedException::class, 2];
            yield [$what, $number, 0, 9, null, true, TimeoutException::class, 2];
            yield [$what, $number, 1, 0, self::KEY, false, DisconnectedException::class, 1];
            yield [$what, $number, 1, 0, null, false, DisconnectedException::class, 1];
        }
    }

    /** @dataProvider lost */
    public function testSentAgain(string $what, int $number, int $drops, int $silences, ?string $key, bool $retry, ?string $expected, int $sent): void
    {
        $server = new FakeServer(drops: $drops, silences: $silences);
        $error = null;
        try {
            self::open($server->client(), $what, $key, $retry);
        } catch (KistException $error) {
        }
        $this->assertSame($expected, $error === null ? null : $error::class);
        $bodies = array_map(static fn (string $request): string => substr($request, 28), $server->requests());
        $this->assertSame([$sent, $sent, 1], [count($bodies), $server->connections(), count(array_unique($bodies))]);
        $tail = substr($bodies[0], -18);
        $hasKey = $retry || $key !== null;
        $this->assertSame($hasKey, ord($tail[0]) === ($number << 3 | 2) && ord($tail[1]) === 16);
        if ($key !== null) {
            $this->assertSame($key, substr($tail, 2));
        }
        if ($error !== null) {
            $this->assertSame($hasKey ? substr($tail, 2) : null, $error->retryKey);
        }
    }

    /** @return iterable<array{int, int, Status, int, class-string, ?Status}> */
    public static function secondTimes(): iterable
    {
        yield [1, 0, Status::Locked, 0, DisconnectedException::class, null];
        yield [0, 1, Status::Locked, 0, TimeoutException::class, null];
        yield [1, 0, Status::AuditUnavailable, 0, DisconnectedException::class, null];
        yield [1, 0, Status::Busy, 0, DisconnectedException::class, null];
        yield [1, 0, Status::Busy, 100, RefusedException::class, Status::Busy];
        yield [1, 0, Status::Rejected, 0, RefusedException::class, Status::Rejected];
        yield [0, 0, Status::Locked, 0, RefusedException::class, Status::Locked];
        yield [0, 0, Status::Busy, 0, RefusedException::class, Status::Busy];
    }

    /** @dataProvider secondTimes */
    public function testRefusedTheSecondTime(int $drops, int $silences, Status $status, int $wait, string $expected, ?Status $refused): void
    {
        $server = new FakeServer(drops: $drops, silences: $silences, answer: FakeServer::refusal($status, $wait, $drops + $silences + 1));
        $error = $this->thrown(static fn () => self::open($server->client(), 'token', self::KEY, true));
        $this->assertSame([$expected, self::KEY, $refused], [$error::class, $error->retryKey, $error instanceof RefusedException ? $error->status : null]);
    }

    public function testDaemonThatDoesNotComeBack(): void
    {
        $server = new FakeServer(drops: 1, unlinks: true);
        $this->assertInstanceOf(DisconnectedException::class, $this->thrown(static fn () => self::open($server->client(), 'token', null, true)));
        $this->assertInstanceOf(RequestException::class, $this->thrown(static fn () => (new Client('unix:/a'))->random(1, new Call(retry: true))));
    }

    public function testBounds(): void
    {
        $server = new FakeServer();
        $client = $server->client();
        $short = new Token(version: TokenVersion::EcV1, publicKeyHash: str_repeat('h', 32), transactionId: self::KEY);
        foreach ([
            'random: count is 1025; it takes 1 to 1024' => static fn () => $client->random(1025),
            'random: count is missing' => static fn () => $client->random(0),
            'random: count is -1; it is not negative' => static fn () => $client->random(-1),
            'verifyPaymentToken: token.transactionId has 16 bytes; it takes 32' => static fn () => $client->verifyPaymentToken(null, $short),
            'unseal: iv has 13 bytes; it takes 12 or 16' => static fn () => $client->unseal(self::KEY, iv: str_repeat('i', 13)),
            'mac: algorithm does not go with handle as it is' => static fn () => $client->mac(self::KEY, handle: self::KEY),
            'tokenise: lifetime does not go with transactionId as it is' => static fn () => $client->tokenise(self::KEY, lifetime: 5),
            'kdf: otherInfo does not go with info as it is' => static fn () => $client->kdf(self::KEY, self::KEY, Derivation::X963Sha256, 16, info: 'i', otherInfo: new OtherInfo(algorithmId: 'a')),
            'openPaymentToken: release is none of the values it takes here' => static fn () => $client->openPaymentToken(self::KEY, self::aToken(), release: [ReleasedField::Jwe]),
            'provisionPass: certificates has 4 elements; it takes at most 3' => static fn () => $client->provisionPass(null, EncryptionScheme::EvEccV2, PassConfiguration::AccountNumber, certificates: ['c', 'c', 'c', 'c']),
            'listKeys: prefix is not UTF-8' => static fn () => $client->listKeys(prefix: "\xff"),
            'findKey: pattern is missing' => static fn () => $client->findKey(''),
            "a key's id has 16 bytes, not 15" => static fn () => $client->describeKey(substr(self::KEY, 1)),
            'openPaymentToken: expectedAmount is -1; it is not negative' => static fn () => $client->openPaymentToken(self::KEY, self::aToken(), expectedAmount: -1),
        ] as $text => $call) {
            $error = $this->thrown($call);
            $this->assertSame([RequestException::class, $text], [$error::class, $error->getMessage()]);
        }
        foreach (['1499', '14.99', '018446744073709551615', '18446744073709551616', '99999999999999999999'] as $amount) {
            $this->assertInstanceOf(\TypeError::class, $this->thrown(static fn () => $client->openPaymentToken(self::KEY, self::aToken(), expectedAmount: $amount)), $amount);
        }
        $this->assertSame([], $server->requests());
        $client->openPaymentToken(self::KEY, self::aToken(), expectedAmount: '18446744073709551615');
        $this->assertStringEndsWith('20ffffffffffffffffff01', bin2hex($server->requests()[0]));
    }

    public function testWhatIsShownHasNoSecrets(): void
    {
        $server = new FakeServer(answer: '0000001a01000005000000000000000100000000000000290a0461626364');
        $secret = $server->client()->random(4);
        $this->assertSame('abcd', $secret->text());
        ob_start();
        var_dump($secret, [$secret]);
        print_r($secret);
        echo $secret, json_encode(['secret' => $secret]);
        $this->assertStringNotContainsString('abcd', ob_get_clean());
        $this->assertInstanceOf(\LogicException::class, $this->thrown(static fn () => serialize($secret)));
        $secret->wipe();
        $this->assertSame("\0\0\0\0", $secret->text());
        // A stack trace has no arguments that may be secrets.
        ini_set('zend.exception_ignore_args', '0');
        $error = $this->thrown(static fn () => (new Client('unix:/nowhere'))->seal(self::KEY, plaintext: 'a secret of a caller'));
        $this->assertStringNotContainsString('a secret of', print_r($error->getTrace(), true) . $error->getTraceAsString());
    }

    public function testListingThatDoesNotGoOn(): void
    {
        foreach (['ba', 'aa'] as $labels) {
            $body = implode('', array_map(static fn (string $label): string => "\x0a\x15\x0a\x10" . self::KEY . "\x12\x01$label", str_split($labels)));
            $server = new FakeServer(answer: bin2hex(pack('NCCnJJ', 20 + strlen($body), 1, 0, 3, 1, 41) . $body));
            $this->assertSame('a listing whose labels do not ascend', $this->thrown(static fn () => $server->client()->keys())->getMessage());
        }
    }

    public function testJws(): void
    {
        $input = Jws::input(SignatureScheme::Ed25519, '{}', ['kid' => 'k']);
        $this->assertSame('eyJhbGciOiJFZERTQSIsImtpZCI6ImsifQ.e30.AQID', Jws::compact($input, "\1\2\3"));
        $this->assertInstanceOf(\ValueError::class, $this->thrown(static fn () => Jws::input(SignatureScheme::EcdsaP256Sha256, '')));
        $this->assertInstanceOf(\ValueError::class, $this->thrown(static fn () => Jws::input(SignatureScheme::Ed25519, '', ['alg' => 'none'])));
    }
}
