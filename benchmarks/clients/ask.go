// Usage: ask COUNT DEPTH. Asks for random bytes, DEPTH calls in flight, and prints the client's processor time for one, in µs.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"sync"
	"syscall"

	"kist"
)

func main() {
	count, depth := number(os.Args[1]), number(os.Args[2])
	client, err := kist.New(kist.Options{})
	check(err)
	defer client.Close()
	ask(client, 2*count, depth)
	before := used()
	ask(client, count, depth)
	fmt.Println(float64(used()-before) / float64(count))
}

func ask(client *kist.Client, count, depth int) {
	var callers sync.WaitGroup
	for i := 0; i < depth; i++ {
		callers.Add(1)
		go func() {
			defer callers.Done()
			for j := 0; j < count/depth; j++ {
				_, err := client.Random(context.Background(), &kist.RandomRequest{Count: 16})
				check(err)
			}
		}()
	}
	callers.Wait()
}

// used is the processor time of this process, in µs.
func used() int64 {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return (usage.Utime.Sec+usage.Stime.Sec)*1_000_000 + usage.Utime.Usec + usage.Stime.Usec
}

func number(text string) int {
	number, err := strconv.Atoi(text)
	check(err)
	return number
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
