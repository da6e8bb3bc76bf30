<?php

use Kist\Call;
use Kist\Client;
use Kist\RefusedException;
use Kist\Token;

/** Opens Apple's token, and hands number and cryptogram to the acquirer. */
function pay(Client $client, string $body, string $order): string
{
    $token = Token::fromApple($body);
    try {
        $call = new Call(requestId: $order, retry: true);
        $opened = $client->openPaymentToken($token->key(), $token, expectedCurrency: '840', expectedAmount: 1499, call: $call);
    } catch (RefusedException $refused) {
        return "do not repeat it, and quote record {$refused->auditSequence} to the operator: {$refused->getMessage()}";
    }
    if ($opened->dpan === null || $opened->cryptogram === null) {
        throw new LogicException('policy does not release what a payment needs');
    }
    return charge($opened->dpan->text(), $opened->cryptogram->text());
}

/** Your acquirer's. */
function charge(#[SensitiveParameter] string $number, #[SensitiveParameter] string $cryptogram): string
{
    return 'charged a card that ends in ' . substr($number, -4) . ', ' . strlen($cryptogram) . ' characters';
}

echo pay(new Client(), file_get_contents('php://input') ?: stream_get_contents(STDIN), 'order-17'), "\n";
