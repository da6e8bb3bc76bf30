// What github.com/processout/applepay makes of corpus files. Usage: run_processout FILE…
package main

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/processout/applepay"
)

type corpus struct {
	Version                                                                      string
	Now                                                                          time.Time
	RootCertificate, MerchantIdentifier, MerchantCertificate, MerchantPrivateKey string
	Tests                                                                        []test
}

type test struct {
	ID    int `json:"tcId"`
	Token json.RawMessage
}

type outcome struct {
	Version string  `json:"version"`
	ID      int     `json:"tcId"`
	Opened  bool    `json:"opened"`
	Number  *string `json:"number"`
	Amount  float64 `json:"amount"`
}

func main() {
	for _, path := range os.Args[1:] {
		run(path)
	}
}

func run(path string) {
	text, err := os.ReadFile(path)
	must(err)
	var corpus corpus
	must(json.Unmarshal(text, &corpus))
	folder, err := os.MkdirTemp("", "corpus")
	must(err)
	defer os.RemoveAll(folder)
	applepay.AppleRootCertificatePath = filepath.Join(folder, "root.pem")
	must(os.WriteFile(applepay.AppleRootCertificatePath, []byte(corpus.RootCertificate), 0o600))
	pair, err := tls.X509KeyPair([]byte(corpus.MerchantCertificate), []byte(corpus.MerchantPrivateKey))
	must(err)
	merchant, err := applepay.New(corpus.MerchantIdentifier, applepay.ProcessingCertificate(pair))
	must(err)
	for _, test := range corpus.Tests {
		line, err := json.Marshal(opened(merchant, corpus, test))
		must(err)
		fmt.Println(string(line))
	}
}

func opened(merchant *applepay.Merchant, corpus corpus, test test) (found outcome) {
	found = outcome{Version: corpus.Version, ID: test.ID}
	// It may panic: nothing was opened then.
	defer func() { _ = recover() }()
	var token applepay.PKPaymentToken
	if json.Unmarshal(test.Token, &token.PaymentData) != nil || token.SetTransactionTime(corpus.Now) != nil {
		return
	}
	payment, err := merchant.DecryptToken(&token)
	if err != nil {
		return
	}
	found.Opened, found.Amount = true, payment.TransactionAmount
	if payment.ApplicationPrimaryAccountNumber != "" {
		found.Number = &payment.ApplicationPrimaryAccountNumber
	}
	return
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
