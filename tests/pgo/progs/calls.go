// A workload with what profiles of Go programs have: calls through interfaces, closures, generics, inlined functions.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"regexp"
	"runtime/pprof"
	"slices"
	"sort"
	"strings"
	"text/template"
)

type Item struct {
	ID    int               `json:"id"`
	Name  string            `json:"name"`
	Price float64           `json:"price"`
	Tags  []string          `json:"tags"`
	Attrs map[string]string `json:"attrs"`
}

type Shape interface {
	Area() float64
	Scale(f float64) Shape
}

type Rect struct{ w, h float64 }
type Circle struct{ r float64 }
type Poly struct{ xs, ys []float64 }

func (r Rect) Area() float64           { return r.w * r.h }
func (r Rect) Scale(f float64) Shape   { return Rect{r.w * f, r.h * f} }
func (c Circle) Area() float64         { return 3.14159265 * c.r * c.r }
func (c Circle) Scale(f float64) Shape { return Circle{c.r * f} }
func (p *Poly) Area() float64 {
	sum := 0.0
	for i := range p.xs {
		k := (i + 1) % len(p.xs)
		sum += cross(p.xs[i], p.ys[i], p.xs[k], p.ys[k])
	}
	return abs(sum) / 2
}
func (p *Poly) Scale(f float64) Shape {
	q := &Poly{mapped(p.xs, func(x float64) float64 { return x * f }), mapped(p.ys, func(y float64) float64 { return y * f })}
	return q
}

func cross(ax, ay, bx, by float64) float64 { return ax*by - bx*ay }

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}

func mapped[T, U any](in []T, f func(T) U) []U {
	out := make([]U, 0, len(in))
	for _, v := range in {
		out = append(out, f(v))
	}
	return out
}

type heap[T cmp.Ordered] struct{ v []T }

func (h *heap[T]) push(x T) {
	h.v = append(h.v, x)
	for i := len(h.v) - 1; i > 0; {
		up := (i - 1) / 2
		if !h.less(i, up) {
			break
		}
		h.swap(i, up)
		i = up
	}
}

func (h *heap[T]) less(i, k int) bool { return h.v[i] < h.v[k] }
func (h *heap[T]) swap(i, k int)      { h.v[i], h.v[k] = h.v[k], h.v[i] }

func (h *heap[T]) pop() T {
	top := h.v[0]
	last := len(h.v) - 1
	h.v[0] = h.v[last]
	h.v = h.v[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && h.less(down+1, down) {
			down++
		}
		if !h.less(down, i) {
			break
		}
		h.swap(i, down)
		i = down
	}
	return top
}

type random uint64

func (r *random) next() uint64 {
	*r ^= *r << 13
	*r ^= *r >> 7
	*r ^= *r << 17
	return uint64(*r)
}

func items(r *random, n int) []Item {
	list := make([]Item, n)
	for i := range list {
		list[i] = Item{ID: int(r.next() % 1000000), Name: fmt.Sprintf("item-%x", r.next()), Price: float64(r.next()%10000) / 100,
			Tags: []string{"red", "green", "blue"}[:r.next()%3+1], Attrs: map[string]string{"size": "xl", "from": "here"}}
	}
	return list
}

func jsons(r *random) int {
	list := items(r, 300)
	text, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	var back []Item
	if err := json.Unmarshal(text, &back); err != nil {
		panic(err)
	}
	return len(back)
}

var patterns = []*regexp.Regexp{
	regexp.MustCompile(`(\w+)-(\d+)@([a-z]+)\.com`),
	regexp.MustCompile(`^(GET|POST) /[a-z/]*\?id=(\d+)`),
	regexp.MustCompile(`[aeiou]{2,}[^aeiou]+x?`),
}

func regexps(r *random) (n int) {
	for i := 0; i < 150; i++ {
		line := fmt.Sprintf("GET /some/path/to?id=%d from user-%d@host.com at %x with aeiou and queue", r.next()%1000, r.next()%100, r.next())
		for _, p := range patterns {
			n += len(p.FindStringSubmatch(line))
		}
		n += len(patterns[0].ReplaceAllStringFunc(line, strings.ToUpper))
	}
	return n
}

type byPrice []Item

func (b byPrice) Len() int           { return len(b) }
func (b byPrice) Less(i, k int) bool { return b[i].Price < b[k].Price }
func (b byPrice) Swap(i, k int)      { b[i], b[k] = b[k], b[i] }

func sorts(r *random) int {
	list := items(r, 600)
	sort.Sort(byPrice(list))
	sort.Slice(list, func(i, k int) bool { return list[i].Name < list[k].Name })
	slices.SortFunc(list, func(a, b Item) int { return cmp.Compare(a.ID, b.ID) })
	h := &heap[uint64]{}
	for i := 0; i < 3000; i++ {
		h.push(r.next())
	}
	for i := 0; i < 2999; i++ {
		h.pop()
	}
	return list[0].ID + int(h.pop())
}

func shapes(r *random) (sum float64) {
	list := []Shape{}
	for i := 0; i < 500; i++ {
		switch x := float64(r.next() % 100); r.next() % 8 {
		case 0:
			list = append(list, Circle{x})
		case 1:
			list = append(list, &Poly{[]float64{0, x, x, 0, -x}, []float64{0, 0, x, 2 * x, x}})
		default:
			list = append(list, Rect{x, x + 1})
		}
	}
	for round := 0; round < 20; round++ {
		for i, s := range list {
			sum += s.Area()
			list[i] = s.Scale(1.001)
		}
	}
	return sum
}

type counter struct {
	io.Writer
	n int
}

func (c *counter) Write(b []byte) (int, error) {
	c.n += len(b)
	return c.Writer.Write(b)
}

var page = template.Must(template.New("page").Parse(`{{range .}}<li id="{{.ID}}">{{.Name | printf "%q"}}: {{.Price}}{{range .Tags}} {{.}}{{end}}</li>{{end}}`))

func pages(r *random) int {
	h := fnv.New64a()
	c := &counter{Writer: h}
	if err := page.Execute(c, items(r, 60)); err != nil {
		panic(err)
	}
	return c.n + int(h.Sum64()%10)
}

func words(r *random) int {
	var b bytes.Buffer
	for i := 0; i < 3000; i++ {
		b.WriteString([]string{"alpha ", "beta ", "gamma ", "delta "}[r.next()%4])
	}
	count := map[string]int{}
	for _, w := range strings.Fields(b.String()) {
		count[strings.ToUpper(w)]++
	}
	return len(count)
}

func main() {
	profile := flag.String("cpuprofile", "", "file")
	rounds := flag.Int("n", 1000, "rounds")
	flag.Parse()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			panic(err)
		}
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	r := random(88172645463325252)
	sum := 0
	done := make(chan int)
	go func() {
		for i := 0; i < *rounds; i++ {
			sum += jsons(&r) + regexps(&r) + sorts(&r) + int(shapes(&r)) + pages(&r) + words(&r)
		}
		done <- sum
	}()
	fmt.Println(<-done)
}
