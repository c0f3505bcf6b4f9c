// Goroutines on several threads, with deep stacks, maps and sorting. goroutines MS
package main

import (
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"
	"os"
	"strconv"
)

func deep(n int) int {
	if n == 0 {
		return len(strings.Repeat("x", 300))
	}
	return deep(n-1) + n
}

func work(until time.Time, out *int) {
	for time.Now().Before(until) {
		m := map[string]int{}
		for i := 0; i < 600; i++ {
			m[fmt.Sprintf("k%d", i%97)] += deep(40)
		}
		k := make([]string, 0)
		for s := range m {
			k = append(k, s)
		}
		sort.Slice(k, func(i, j int) bool { return k[i] < k[j] })
		*out = len(k)
	}
}

func main() {
	var w sync.WaitGroup
	ms, _ := strconv.Atoi(os.Args[1])
	until := time.Now().Add(time.Duration(ms) * time.Millisecond)
	for i := 0; i < 4; i++ {
		w.Add(1)
		go func() { defer w.Done(); n := 0; work(until, &n) }()
	}
	w.Wait()
}
