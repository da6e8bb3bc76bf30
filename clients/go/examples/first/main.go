package main

import (
	"context"
	"fmt"
	"log"

	"kist"
)

func main() {
	client, err := kist.New(kist.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	keys, err := client.Keys(context.Background(), "", "")
	if err != nil {
		log.Fatal(err)
	}
	for _, key := range keys {
		fmt.Println(key.Label, key.State)
	}
	drawn, err := client.Random(context.Background(), &kist.RandomRequest{Count: 16})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(drawn.Random.Len(), "random bytes")
}
