// A server in Go: server SHAPE CAUSE FILE [SECONDS [SEED]]; the file is that of requests.h. Four goroutines, each with a
// thread of its own. Shapes: plain; grows: of 50 requests, one is the first of its goroutine and needs so much stack that
// the runtime moves the stack elsewhere before handleRequest returns. Causes: none, sleep.
package main

import (
	"fmt"
	"math"
	"math/rand"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type request struct {
	begin, end int64
	tid        int
	sleeps     bool
	grows      bool
	planted    int64
	hash       int64
}

var sink uint64

func now() int64 {
	var t syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, 1, uintptr(unsafe.Pointer(&t)), 0)
	return t.Nano()
}

//go:noinline
func computeHash(ns int64) {
	h := sink + 1
	for end := now() + ns; now() < end; {
		for i := uint64(0); i < 1000; i++ {
			h = (h^(h>>29))*0xbf58476d1ce4e5b9 + i
		}
	}
	sink = h
}

//go:noinline
func retryBackoff() {
	t := syscall.NsecToTimespec(30e6)
	syscall.Nanosleep(&t, nil)
}

//go:noinline
func useStack(depth int) int {
	var room [512]int
	room[depth%512] = depth
	if depth > 0 {
		return useStack(depth-1) + room[depth%512]
	}
	return room[0]
}

//go:noinline
func handleRequest(r *request) int {
	r.begin = now()
	computeHash(700000)
	r.hash = now() - r.begin
	used := 0
	if r.grows {
		used = useStack(500)
	}
	if r.sleeps {
		begin := now()
		retryBackoff()
		r.planted = now() - begin
	}
	r.end = now()
	return used
}

func serve(nr int, shape string, cause string, end int64, random *rand.Rand, notes *[]request) {
	runtime.LockOSThread()
	if priority, err := strconv.ParseInt(os.Getenv("URGENT"), 10, 32); err == nil { // SCHED_RR, as in requests.h
		priority := int32(priority)
		syscall.RawSyscall(syscall.SYS_SCHED_SETSCHEDULER, 0, 2, uintptr(unsafe.Pointer(&priority)))
	}
	for {
		time.Sleep(time.Duration(-math.Log(1-random.Float64()) * 1e7))
		if now() >= end {
			return
		}
		r := request{tid: syscall.Gettid(), sleeps: random.Intn(200) == 0 && cause == "sleep"}
		if random.Intn(50) == 0 && shape == "grows" {
			r.grows = true
			var done sync.WaitGroup
			done.Add(1)
			go func() {
				defer done.Done()
				r.tid = syscall.Gettid()
				runtime.LockOSThread()
				r.tid = syscall.Gettid()
				handleRequest(&r)
				runtime.UnlockOSThread()
			}()
			done.Wait()
		} else {
			handleRequest(&r)
		}
		*notes = append(*notes, r)
	}
}

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: server SHAPE CAUSE FILE [SECONDS [SEED]]")
		os.Exit(2)
	}
	seconds, seed := 10.0, int64(1)
	if len(os.Args) > 4 {
		seconds, _ = strconv.ParseFloat(os.Args[4], 64)
	}
	if len(os.Args) > 5 {
		seed, _ = strconv.ParseInt(os.Args[5], 10, 64)
	}
	var all sync.WaitGroup
	var notes [4][]request
	end := now() + int64(seconds*1e9)
	for nr := 0; nr < 4; nr++ {
		all.Add(1)
		go func(nr int) {
			defer all.Done()
			serve(nr, os.Args[1], os.Args[2], end, rand.New(rand.NewSource(seed*4+int64(nr))), &notes[nr])
		}(nr)
	}
	all.Wait()
	f, err := os.Create(os.Args[3])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for nr := range notes {
		for _, r := range notes[nr] {
			cause := "-"
			if r.sleeps {
				cause = "sleep"
			}
			fmt.Fprintf(f, "request %d worker-%d %d %d returned %s %d hash=%d answer=0\n",
				r.tid, nr, r.begin, r.end, cause, r.planted, r.hash)
		}
	}
	f.Close()
}
