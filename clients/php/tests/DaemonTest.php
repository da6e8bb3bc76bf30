<?php

declare(strict_types=1);

namespace Kist\Tests;

use Kist\Call;
use Kist\Client;
use Kist\DisconnectedException;
use Kist\Enums\Derivation;
use Kist\Enums\DigestField;
use Kist\Enums\EncryptionScheme;
use Kist\Enums\MacAlgorithm;
use Kist\Enums\OtpHash;
use Kist\Enums\PassConfiguration;
use Kist\Enums\ReleasedField;
use Kist\Enums\SignatureScheme;
use Kist\Enums\Stage;
use Kist\Enums\Status;
use Kist\Enums\VisaType;
use Kist\Frame;
use Kist\Messages\MastercardInput;
use Kist\Messages\OtherInfo;
use Kist\Messages\OtpParameters;
use Kist\Messages\VisaInput;
use Kist\NoSuchKeyException;
use Kist\RefusedException;
use Kist\Schema;
use Kist\SeveralKeysException;
use Kist\Testing\Sandbox;
use Kist\Testing\SandboxException;
use Kist\UnreachableException;
use PHPUnit\Framework\TestCase;

/** Every operation and every status against a real daemon, and one that is killed and comes back. Peers are made with OpenSSL. */
final class DaemonTest extends TestCase
{
    private const PAN = '4109370251004320';
    private const MERCHANT = 'merchant.com.acme';
    private const WITHOUT_GRANT = ['ping', 'ready', 'status', 'unlock', 'lock', 'importKey', 'detokenise', 'openEnvelope'];

    private static ?Sandbox $sandbox = null;
    private static Client $client;
    /** @var array<string, string> the keys' ids */
    private static array $keys;
    private static string $agreement;
    private static string $unwrapping;

    public static function setUpBeforeClass(): void
    {
        self::$agreement = self::newPoint();
        self::$unwrapping = self::newModulus();
        self::$sandbox = new Sandbox(self::program(), policy: self::policy());
        self::$keys = self::importKeys(self::$sandbox);
        self::$client = self::$sandbox->client();
    }

    public static function tearDownAfterClass(): void
    {
        self::$sandbox = null;
    }

    public static function program(): string
    {
        return getenv('KIST_PROGRAM') ?: __DIR__ . '/../../../.build/debug/kist';
    }

    /** A new key's PEM, as `openssl` writes it: RFC 5915 or PKCS#1. */
    private static function newKey(string ...$words): string
    {
        return self::output(['openssl', ...$words]);
    }

    private static function newPoint(): string
    {
        return self::newKey('ecparam', '-name', 'prime256v1', '-genkey', '-noout');
    }

    private static function newModulus(): string
    {
        return self::newKey('genrsa', '-traditional', '2048');
    }

    private static function publicKey(string $pem): string
    {
        return openssl_pkey_get_details(openssl_pkey_get_private($pem))['key'];
    }

    /** @param list<string> $words */
    private static function output(array $words, string $input = ''): string
    {
        $child = proc_open($words, [['pipe', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $pipes);
        fwrite($pipes[0], $input);
        fclose($pipes[0]);
        $output = stream_get_contents($pipes[1]);
        proc_close($child);
        return $output;
    }

    private static function policy(): string
    {
        $words = static fn (string $name): string => strtolower(preg_replace('/[A-Z]/', '-$0', $name));
        $operations = json_encode(array_map($words, array_values(array_diff(array_keys(Schema::OPERATIONS), self::WITHOUT_GRANT))));
        $user = posix_getuid();
        return "[[grant]]\nid = 'everything'\nusers = [$user]\noperations = $operations\nkeys = ['test/*']\n"
            . "release = ['shared-secret', 'derived-key']\nstages = true\nquota = '1000000000/d'\n"
            . "[[grant]]\nid = 'reveal'\nusers = [$user]\noperations = ['detokenise', 'open-envelope']\nkeys = ['test/*']\nrelease = ['dpan']\nstages = true\n";
    }

    private static function symmetric(int $first): string
    {
        return implode('', array_map(chr(...), range($first, $first + 31)));
    }

    private static function der(string $pem): string
    {
        return base64_decode(preg_replace('/-----.*?-----|\s/', '', $pem));
    }

    /** Imports a key of each role; their ids by name. */
    private static function importKeys(Sandbox $sandbox): array
    {
        $operator = $sandbox->operator();
        $keys = [];
        foreach ([
            'agreement' => ['agreement', self::der(self::$agreement)],
            'unwrapping' => ['unwrapping-rsa', self::der(self::$unwrapping)],
            'signing' => ['signing-ecdsa', self::der(self::newPoint())],
            'sealing' => ['sealing', self::symmetric(1)],
            'unsealing' => ['unsealing', self::symmetric(101)],
            'mac' => ['mac-hmac-sha256', self::symmetric(51)],
            'surrogate' => ['surrogate', self::symmetric(71)],
            'visa' => ['otp-visa', hex2bin('0123456789abcdeffedcba9876543210'), new OtpParameters(keySet: '123456.1')],
            'mastercard' => ['otp-mastercard', self::der(self::newModulus()), new OtpParameters(keyAlias: 'issuer.1')],
            'hotp' => ['otp-hotp', '12345678901234567890', new OtpParameters(digits: 6, hash: OtpHash::Sha1, window: 3, failures: 3, lockout: 60)],
        ] as $name => $material) {
            $keys[$name] = $operator->importKey(label: "test/$name", role: $material[0], privateKey: $material[1], otp: $material[2] ?? null, activate: true)->id;
        }
        return $keys;
    }

    private function refused(Status $status, ?Stage $stage, \Closure $call): RefusedException
    {
        try {
            $call();
        } catch (RefusedException $error) {
            $this->assertSame([$status, $stage], [$error->status, $error->stage], $error->getMessage());
            return $error;
        }
        $this->fail('it was not refused');
    }

    private static function open(string $key, string $iv, string $sealed, string $data = ''): string|false
    {
        return openssl_decrypt(substr($sealed, 0, -16), 'aes-256-gcm', $key, OPENSSL_RAW_DATA, $iv, substr($sealed, -16), $data);
    }

    private static function seal(string $key, string $iv, string $text): string
    {
        return openssl_encrypt($text, 'aes-256-gcm', $key, OPENSSL_RAW_DATA, $iv, $tag) . $tag;
    }

    public function testGeneral(): void
    {
        self::$client->ping();
        self::$client->ready();
        $description = self::$client->describe();
        $this->assertTrue($description->rehearsal && $description->wireVersion === 1 && $description->auditSequence > 0);
        $named = array_column($description->operations, 'opcode', 'name');
        foreach (Schema::OPERATIONS as $name => [$opcode]) {
            $this->assertSame($opcode, $named[strtolower(preg_replace('/[A-Z]/', '-$0', $name))]);
        }
        foreach ([1, 16, 1024] as $count) {
            $this->assertSame($count, self::$client->random($count)->length());
        }
        $who = self::$client->who();
        $this->assertSame(posix_getuid(), $who->uid);
        $this->assertContains('who', $who->rights[0]->operations);
        $this->assertMatchesRegularExpression('/^hmac-sha256:[0-9a-f]{64}$/D', self::$client->auditDigest(DigestField::Pan, self::PAN)->digest);
    }

    public function testKeys(): void
    {
        $expected = array_map(static fn (string $name): string => "test/$name", array_keys(self::$keys));
        sort($expected);
        $this->assertSame($expected, array_column(self::$client->keys('test/'), 'label'));
        $this->assertSame(self::$keys['hotp'], self::$client->findKey('test/hotp')->id);
        $key = self::$client->describeKey(self::$keys['agreement']);
        $this->assertSame(['test/agreement', 'active', 'P-256', null], [$key->label, $key->state, $key->algorithm, $key->certificate]);
        $this->assertSame($key->id, substr(hash('sha256', $key->publicKey, true), 0, 16));
        $this->assertEquals(new OtpParameters(digits: 6, hash: OtpHash::Sha1, window: 3, failures: 3, lockout: 60), self::$client->describeKey(self::$keys['hotp'])->otp);
        foreach (['test/*' => SeveralKeysException::class, 'test/none' => NoSuchKeyException::class] as $pattern => $kind) {
            try {
                self::$client->findKey($pattern);
                $this->fail($pattern);
            } catch (\Kist\KistException $error) {
                $this->assertInstanceOf($kind, $error);
            }
        }
    }

    /**
     * @testWith ["EC_v1"]
     *           ["RSA_v1"]
     */
    public function testTokens(string $version): void
    {
        $token = self::$sandbox->token(version: $version, amount: 1499, pan: self::PAN);
        $this->assertEqualsWithDelta(time(), self::$client->verifyPaymentToken(null, $token)->signingTime, 300);
        $open = static fn (mixed ...$more) => self::$client->openPaymentToken($token->key(), $token, ...$more);
        $lacking = $this->refused(Status::Rejected, Stage::NotReleased, static fn () => $open(release: [ReleasedField::Last4], required: [ReleasedField::Dpan]));
        $this->assertSame(ReleasedField::Dpan, $lacking->releasedField);
        $wanted = [ReleasedField::Dpan, ReleasedField::Last4, ReleasedField::Amount];
        $opened = $open(release: $wanted, required: [ReleasedField::Dpan], expectedCurrency: '840', expectedAmount: 1499, call: new Call(requestId: "order $version"));
        $this->assertSame([self::PAN, '4320', 1499, null], [$opened->dpan->text(), $opened->last4, $opened->amount, $opened->cryptogram]);
        $replay = $this->refused(Status::Rejected, null, static fn () => $open());
        $this->assertGreaterThan($opened->auditSequence, $replay->auditSequence);
        $again = self::$sandbox->token(version: $version, amount: 0);
        for ($i = 0; $i < 2; $i++) {
            $this->assertSame(0, self::$client->openPaymentToken($again->key(), $again, retryKey: str_repeat($version[0], 16))->amount);
        }
    }

    public function testPasses(): void
    {
        $asked = self::$sandbox->passRequest();
        $made = self::$client->provisionPass(
            self::$keys['visa'],
            EncryptionScheme::EvEccV2,
            PassConfiguration::AccountNumber,
            certificates: array_map(base64_decode(...), $asked['certificates']),
            nonce: base64_decode($asked['nonce']),
            nonceSignature: base64_decode($asked['nonceSignature']),
            primaryAccountNumber: self::PAN,
            expiration: '12/30',
            name: 'A. Card',
            visa: new VisaInput(VisaType::Mbpac, authenticationCode: 'abc123'),
        );
        $pem = static fn (string $name, string $der): string => "-----BEGIN $name-----\n" . chunk_split(base64_encode($der), 64) . "-----END $name-----\n";
        $leaf = $pem('EC PRIVATE KEY', file_get_contents(self::$sandbox->directory . '/pki/provisioning-leaf.key'));
        $peer = $pem('PUBLIC KEY', hex2bin('3059301306072a8648ce3d020106082a8648ce3d030107034200') . $made->ephemeralPublicKey);
        $shared = openssl_pkey_derive($peer, $leaf);
        $key = hash('sha256', "\0\0\0\1{$shared}\x0did-aes256-GCMApple{$made->ephemeralPublicKey}", true);
        $this->assertStringContainsString(self::PAN, self::open($key, str_repeat("\0", 12), $made->encryptedPassData));
        $this->assertStringStartsWith('MBPAC-1-FK-123456.1--TDEA-', $made->activationData);
        $trace = self::$client->provisionTrace($made->ephemeralPublicKey, str_repeat("\0", 31) . "\7", passData: 'pass data');
        $this->assertSame([84, 9 + 16], [strlen($trace->otherInfo), strlen($trace->encryptedPassData)]);
    }

    public function testOneTimeValues(): void
    {
        $visa = self::$client->signOtp(self::$keys['visa'], visa: new VisaInput(VisaType::Mbpac, nonce: 'nonce', authenticationCode: 'abc123'));
        $this->assertStringStartsWith('MBPAC-1-FK-123456.1--TDEA-', $visa->otp->text());
        $this->assertNull($visa->counter);
        $value = self::$client->signOtp(self::$keys['mastercard'], mastercard: new MastercardInput(version: 3, accountNumber: self::PAN, expiry: '1230'));
        $this->assertStringContainsString('"signature"', $value->otp->text());
        $subject = 'person ' . hrtime(true);
        $first = self::$client->signOtp(self::$keys['hotp'], subject: $subject);
        $this->assertSame([0, 6], [$first->counter, $first->otp->length()]);
        $this->assertSame(0, self::$client->verifyOtp(self::$keys['hotp'], subject: $subject, code: $first->otp)->counter);
        $this->refused(Status::Rejected, Stage::OtpCode, static fn () => self::$client->verifyOtp(self::$keys['hotp'], subject: $subject, code: $first->otp->text()));
        $enrolled = self::$client->enrolAuthenticator(self::$keys['hotp'], $subject, random_bytes(16));
        $this->assertSame([1, 20, 6], [$enrolled->number, $enrolled->secret->length(), $enrolled->otp->digits]);
    }

    public function testAgreement(): void
    {
        $peer = self::newPoint();
        $details = openssl_pkey_get_details(openssl_pkey_get_private($peer));
        $point = "\4" . str_pad($details['ec']['x'], 32, "\0", STR_PAD_LEFT) . str_pad($details['ec']['y'], 32, "\0", STR_PAD_LEFT);
        $shared = openssl_pkey_derive(self::publicKey(self::$agreement), $peer);
        $key = self::$keys['agreement'];
        $this->assertSame($shared, self::$client->ecdh($key, peer: $point, release: true)->sharedSecret->text());
        $derived = hash('sha256', "\0\0\0\1{$shared}\x0did-aes256-GCMAppleparty", true);
        $derive = static fn (mixed ...$more) => self::$client->kdf($key, self::$client->ecdh($key, peer: $point)->handle, Derivation::OneStepSha256, 32, ...$more);
        $parts = new OtherInfo(algorithmId: "\x0did-aes256-GCM", partyUInfo: 'Apple', partyVInfo: 'party');
        $this->assertSame($derived, $derive(otherInfo: $parts, release: true)->derivedKey->text());
        $held = $derive(info: "\x0did-aes256-GCMAppleparty")->handle;
        $code = self::$client->mac($key, handle: $held, algorithm: MacAlgorithm::HmacSha256, message: 'message')->mac;
        $this->assertSame(hash_hmac('sha256', 'message', $derived, true), $code->text());
        $sealed = self::$client->seal($key, handle: $held, plaintext: 'ours', associatedData: 'data')->sealed;
        $this->assertSame('ours', self::open($derived, substr($sealed, 17, 12), substr($sealed, 29), substr($sealed, 0, 29) . 'data'));
        $theirs = self::seal($derived, str_repeat("\0", 12), 'theirs');
        $this->assertSame('theirs', self::$client->unseal($key, handle: $held, iv: str_repeat("\0", 12), sealed: $theirs)->plaintext->text());
    }

    public function testUnwrapping(): void
    {
        // PHP's OpenSSL has OAEP with SHA-1 alone, which the daemon refuses.
        openssl_public_encrypt(self::symmetric(1), $wrapped, self::publicKey(self::$unwrapping), OPENSSL_PKCS1_OAEP_PADDING);
        $this->refused(Status::Rejected, Stage::Unwrap, static fn () => self::$client->unwrap(self::$keys['unwrapping'], wrappedKey: $wrapped));
        $file = tempnam(sys_get_temp_dir(), 'kist');
        file_put_contents($file, self::publicKey(self::$unwrapping));
        $words = ['openssl', 'pkeyutl', '-encrypt', '-pubin', '-inkey', $file, '-pkeyopt', 'rsa_padding_mode:oaep', '-pkeyopt', 'rsa_oaep_md:sha256'];
        $wrapped = self::output($words, self::symmetric(1));
        unlink($file);
        $handle = self::$client->unwrap(self::$keys['unwrapping'], wrappedKey: $wrapped)->handle;
        $sealed = self::$client->seal(self::$keys['unwrapping'], handle: $handle, plaintext: 'x')->sealed;
        $this->assertSame('x', self::open(self::symmetric(1), substr($sealed, 17, 12), substr($sealed, 29), substr($sealed, 0, 29)));
        self::$client->releaseHandle(self::$keys['unwrapping'], $handle);
        $this->refused(Status::Denied, null, static fn () => self::$client->releaseHandle(self::$keys['unwrapping'], $handle));
    }

    public function testSealing(): void
    {
        foreach (['', 'secret', str_repeat('x', 65536)] as $plaintext) {
            $sealed = self::$client->seal(self::$keys['sealing'], plaintext: $plaintext, associatedData: 'data')->sealed;
            $this->assertSame($plaintext, (string) self::$client->unseal(self::$keys['sealing'], sealed: $sealed, associatedData: 'data')->plaintext?->text());
            $this->refused(Status::Rejected, Stage::Tag, static fn () => self::$client->unseal(self::$keys['sealing'], sealed: $sealed));
        }
        $theirs = self::seal(self::symmetric(101), str_repeat("\0", 12), 'theirs');
        $this->assertSame('theirs', self::$client->unseal(self::$keys['unsealing'], iv: str_repeat("\0", 12), sealed: $theirs)->plaintext->text());
    }

    public function testSigning(): void
    {
        [$key, $scheme] = [self::$keys['signing'], SignatureScheme::EcdsaP256Sha256];
        $signature = self::$client->sign($key, $scheme, message: 'message')->signature;
        $public = "-----BEGIN PUBLIC KEY-----\n" . base64_encode(self::$client->describeKey($key)->publicKey) . "\n-----END PUBLIC KEY-----\n";
        $this->assertSame(1, openssl_verify('message', $signature, $public, OPENSSL_ALGO_SHA256));
        self::$client->verify($key, $scheme, message: hash('sha256', 'message', true), digested: true, signature: $signature);
        $this->refused(Status::Rejected, Stage::Signature, static fn () => self::$client->verify($key, $scheme, message: 'other', signature: $signature));
        $this->refused(Status::Rejected, Stage::Parameters, static fn () => self::$client->sign($key, SignatureScheme::Ed25519, message: 'message'));
        $code = self::$client->mac(self::$keys['mac'], message: 'message', length: 16)->mac;
        $this->assertSame(substr(hash_hmac('sha256', 'message', self::symmetric(51), true), 0, 16), $code->text());
        self::$client->verifyMac(self::$keys['mac'], message: 'message', mac: $code, length: 16);
        $this->refused(Status::Rejected, Stage::Mac, static fn () => self::$client->verifyMac(self::$keys['mac'], message: 'other', mac: $code, length: 16));
    }

    public function testInPlaceOfAPAN(): void
    {
        $surrogate = self::$client->tokenise(self::$keys['surrogate'], pan: self::PAN, merchantIdentifier: self::MERCHANT)->surrogate;
        $this->assertTrue(strlen($surrogate) === 16 && str_ends_with($surrogate, '4320') && $surrogate !== self::PAN);
        $this->assertSame(self::PAN, self::$client->detokenise(self::$keys['surrogate'], $surrogate, merchantIdentifier: self::MERCHANT)->pan->text());
        $transaction = str_repeat('t', 32);
        $envelope = self::$client->tokenise(self::$keys['sealing'], pan: self::PAN, merchantIdentifier: self::MERCHANT, transactionId: $transaction, lifetime: 60)->envelope;
        $open = static fn (string $transaction, ?Call $call = null) => self::$client->openEnvelope(self::$keys['sealing'], $envelope, $transaction, merchantIdentifier: self::MERCHANT, call: $call);
        $this->assertSame(self::PAN, $open($transaction, new Call(retry: true))->dpan->text());
        $this->refused(Status::Rejected, Stage::Envelope, static fn () => $open(str_repeat('o', 32)));
    }

    public function testOperators(): void
    {
        $report = self::$sandbox->operator()->status();
        $this->assertTrue($report->state === 'serving' && $report->auditSize > 0 && strlen($report->auditRoot) === 32);
        $this->refused(Status::Rejected, Stage::Passphrase, static fn () => self::$sandbox->operator()->unlock('passphrase'));
        $this->refused(Status::Denied, null, static fn () => self::$client->status());
    }

    public function testStatuses(): void
    {
        $sandbox = new Sandbox(self::program(), policy: self::policy());
        $keys = self::importKeys($sandbox);
        $client = $sandbox->client();
        $this->refused(Status::Denied, null, static fn () => $client->describeKey(str_repeat('k', 16)));
        $details = openssl_pkey_get_details(openssl_pkey_get_private(self::newPoint()));
        $peer = "\4" . str_pad($details['ec']['x'], 32, "\0", STR_PAD_LEFT) . str_pad($details['ec']['y'], 32, "\0", STR_PAD_LEFT);
        for ($i = 0; $i < 16; $i++) {
            $client->ecdh($keys['agreement'], peer: $peer);
        }
        $this->assertSame(1000, $this->refused(Status::Busy, null, static fn () => $client->ecdh($keys['agreement'], peer: $peer))->retryAfter);
        foreach ([[0x0999, '', Status::Unsupported], [0x0005, "\x08\x00", Status::Malformed]] as [$opcode, $body, $status]) {
            $connection = new \Kist\Connection(substr($sandbox->endpoint(), 5));
            $frame = Frame::request($opcode, pack('J', 1), str_repeat("\0", 16), $body);
            $error = $this->refused($status, null, static fn () => $connection->call($opcode, pack('J', 1), $frame, 5.0));
            $this->assertSame($status === Status::Malformed, $error->why !== null);
        }
        $sandbox->operator()->lock();
        $this->refused(Status::Locked, null, static fn () => $client->random(1));
        $this->refused(Status::Locked, null, static fn () => $client->ready());
        $this->assertSame('locked', $sandbox->operator()->status()->state);
    }

    public function testKilledAndStartedAgain(): void
    {
        $sandbox = new Sandbox(self::program(), policy: self::policy());
        $client = $sandbox->client();
        $client->random(16);
        $child = pcntl_fork();
        if ($child === 0) {
            $own = $sandbox->client();
            try {
                while (true) {
                    $own->random(16);
                }
            } catch (DisconnectedException | UnreachableException) {
                posix_kill(getmypid(), SIGKILL); // without what a test's end would do
            }
        }
        usleep(200_000);
        $sandbox->kill();
        pcntl_waitpid($child, $status);
        $this->assertSame(SIGKILL, pcntl_wtermsig($status));
        try {
            $client->ping();
            $this->fail('nobody is there');
        } catch (UnreachableException) {
        }
        $sandbox->start();
        $this->assertSame(16, $client->random(16)->length());
        array_map(unlink(...), glob("{$sandbox->directory}/audit/*.log"));
        $this->refused(Status::AuditUnavailable, null, static fn () => $client->random(1));
        $this->refused(Status::AuditUnavailable, null, static fn () => $client->ready());
    }

    public function testSandboxThatCannotBeMade(): void
    {
        foreach ([['/nowhere/kist', ''], [self::program(), "[[grant]]\nid = 5\n"]] as [$program, $policy]) {
            try {
                new Sandbox($program, policy: $policy);
                $this->fail($program);
            } catch (SandboxException $error) {
                $this->assertMatchesRegularExpression('/give program|id/', $error->getMessage());
            }
        }
    }

    public function testSandboxThatCannotBeMadeLeavesNothing(): void
    {
        $program = tempnam(sys_get_temp_dir(), 'kist');
        file_put_contents($program, "#!/bin/sh\nfor last; do :; done; echo \"\$last\" >&2; exit 1\n");
        chmod($program, 0700);
        try {
            new Sandbox($program, policy: '# none');
            $this->fail('it was made');
        } catch (SandboxException $error) {
            $this->assertStringEndsWith('/box', $error->getMessage());
            clearstatcache();
            $this->assertDirectoryDoesNotExist(dirname($error->getMessage()));
        } finally {
            unlink($program);
        }
    }
}
