package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"kist"
)

func main() {
	client, err := kist.New(kist.Options{}) // KIST_ENDPOINT, else unix:/run/kist/kist.sock
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	said, err := pay(context.Background(), client, body, "order-17")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(said)
}

// pay opens Apple's token, and hands number and cryptogram to the acquirer.
func pay(ctx context.Context, client *kist.Client, body []byte, order string) (string, error) {
	token, err := kist.TokenFromApple(body)
	if err != nil {
		return "", err
	}
	request := &kist.OpenPaymentTokenRequest{Token: token, ExpectedCurrency: "840", ExpectedAmount: kist.Uint64(1499)}
	opened, err := client.OpenPaymentToken(ctx, token.Key(), request, kist.WithRequestName(order), kist.WithRetry())
	var refused *kist.Refused
	switch {
	case errors.As(err, &refused):
		return "", fmt.Errorf("do not repeat it, and quote record %d to the operator: %w", refused.AuditSequence, err)
	case err != nil:
		return "", err
	}
	defer opened.DPAN.Wipe()
	defer opened.Cryptogram.Wipe()
	if opened.DPAN.Len() == 0 || opened.Cryptogram.Len() == 0 {
		return "", errors.New("policy does not release what a payment needs")
	}
	return charge(opened.DPAN.Text(), opened.Cryptogram.Text()), nil
}

// charge is your acquirer's.
func charge(number, cryptogram string) string {
	return fmt.Sprintf("charged a card that ends in %s, %d characters", number[len(number)-4:], len(cryptogram))
}
