<?php

// What payu/apple-pay makes of corpus files. Usage: run_payu.php AUTOLOAD FILE…, with the clock at the corpus's `now` (faketime).

declare(strict_types=1);

use PayU\ApplePay\ApplePayDecodingServiceFactory;

[, $autoload] = $argv;
error_reporting(E_ALL & ~E_WARNING);
require $autoload;

foreach (array_slice($argv, 2) as $path) {
    $corpus = json_decode(file_get_contents($path), true);
    $root = tempnam(sys_get_temp_dir(), 'corpus');
    file_put_contents($root, $corpus['rootCertificate']);
    foreach ($corpus['tests'] as $test) {
        echo json_encode(['version' => $corpus['version'], 'tcId' => $test['tcId']] + opened($corpus, $test['token'], $root)), "\n";
    }
    unlink($root);
}

/**
 * @param array<string, mixed> $corpus
 * @param array<string, mixed> $token
 * @return array<string, mixed>
 */
function opened(array $corpus, array $token, string $root): array
{
    $key = preg_replace('/-----.*-----|\s/', '', $corpus['merchantPrivateKey']);
    try {
        $payment = (new ApplePayDecodingServiceFactory())->make()->decode($key, $corpus['merchantIdentifier'], $token, $root, $corpus['windowSeconds']);
    } catch (Throwable) {
        return ['opened' => false];
    }
    return ['opened' => true, 'number' => $payment->getApplicationPrimaryAccountNumber() ?: null, 'amount' => $payment->getTransactionAmount()];
}
