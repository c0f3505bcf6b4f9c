// Goroutines that wait for sync.Mutex: locks ROUNDS. A goroutine is no thread, and the thread that wakes another one
// need not run the goroutine that held the lock. So there is no true holder, and none may be named.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"
)

var lockA, lockB sync.Mutex
var sink int

//go:noinline
func holdComputing(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		for i := 0; i < 3000; i++ {
			sink = sink*31 + i
		}
	}
}

//go:noinline
func holdSleeping(d time.Duration) {
	time.Sleep(d)
}

func main() {
	rounds := 200
	if len(os.Args) > 1 {
		rounds, _ = strconv.Atoi(os.Args[1])
	}
	var all sync.WaitGroup
	for g := 0; g < 4; g++ {
		all.Add(1)
		go func(g int) {
			defer all.Done()
			for i := 0; i < rounds; i++ {
				m := &lockA
				if (i+g)%2 == 1 {
					m = &lockB
				}
				m.Lock()
				if g%2 == 0 {
					holdComputing(2 * time.Millisecond)
				} else {
					holdSleeping(2 * time.Millisecond)
				}
				m.Unlock()
			}
		}(g)
	}
	all.Wait()
	fmt.Println("done")
}
