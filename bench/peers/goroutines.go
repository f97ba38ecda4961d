// SPDX-License-Identifier: MIT

// A goroutine a processor, a channel a directed link.
package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"sync"
	"time"
)

const (
	north = iota
	south
	west
	east
	ports
)

const (
	alpha     = 0.2
	threshold = 500.0
)

type torus struct{ rows, cols int }

func (t torus) neighbour(p, port int) int {
	row, col := p/t.cols, p%t.cols
	switch port {
	case north:
		row = (row + t.rows - 1) % t.rows
	case south:
		row = (row + 1) % t.rows
	case west:
		col = (col + t.cols - 1) % t.cols
	case east:
		col = (col + 1) % t.cols
	}
	return row*t.cols + col
}

// links makes the channels: what comes in at each port of each processor, and what it sends into.
func links[T any](t torus, room int) (in, out [][ports]chan T) {
	in = make([][ports]chan T, t.rows*t.cols)
	out = make([][ports]chan T, t.rows*t.cols)
	for p := range in {
		for port := range in[p] {
			in[p][port] = make(chan T, room)
			out[t.neighbour(p, port)][port^1] = in[p][port]
		}
	}
	return in, out
}

// each runs body for each processor at once and returns how long that took, all being there.
func each(processors int, body func(p int, began time.Time)) time.Duration {
	var began time.Time
	var over sync.WaitGroup
	start := make(chan struct{})
	over.Add(processors)
	for p := 0; p < processors; p++ {
		go func(p int) {
			<-start
			body(p, began)
			over.Done()
		}(p)
	}
	began = time.Now()
	close(start)
	over.Wait()
	return time.Since(began)
}

// Rounds.

func balance(load float64, in, out *[ports]chan float64, rounds int) float64 {
	for ; rounds > 0; rounds-- {
		for _, link := range out {
			link <- load
		}
		var seen [ports]float64
		for port, link := range in {
			seen[port] = <-link
		}
		// The conversion forbids a fused multiplication and addition.
		load += float64(alpha * ((seen[north] - load) + (seen[south] - load) + (seen[west] - load) + (seen[east] - load)))
	}
	return load
}

// Free.

type kind int

const (
	ask kind = iota
	tell
	give
	pull
	grant
	release
	done
)

type message struct {
	kind   kind
	amount float64
}

// At most two messages of an invoker and two answers are under way in one direction at once.
const room = 4

type processor struct {
	load                 float64
	told                 [ports]float64
	tells, grants        int // answers that its operation waits for
	open                 int // neighbours that may still invoke
	done                 bool
	end                  time.Time
	operations, messages int
	in, out              *[ports]chan message
}

func (p *processor) send(port int, kind kind, amount float64) {
	p.messages++
	p.out[port] <- message{kind, amount}
}

// give sends at most what is held.
func (p *processor) give(port int, kind kind, wanted float64) {
	amount := math.Min(wanted, p.load)
	p.load -= amount
	p.send(port, kind, amount)
}

func (p *processor) invoke() {
	if p.done || p.tells+p.grants > 0 {
		return
	}
	next := ask
	switch {
	case time.Now().After(p.end):
		p.done = true
		next = done
	case p.load != threshold:
		p.operations++
		p.tells = ports
	default:
		return
	}
	for port := range p.out {
		p.send(port, next, 0)
	}
}

func (p *processor) settle() {
	own := p.load
	for port, told := range p.told {
		switch flow := alpha * (own - told); {
		case flow > 0:
			p.give(port, give, flow)
		case flow < 0:
			p.grants++
			p.send(port, pull, -flow)
		default:
			p.send(port, release, 0)
		}
	}
}

func (p *processor) take(port int, m message) {
	switch m.kind {
	case ask:
		p.send(port, tell, p.load)
	case tell:
		p.told[port] = m.amount
		p.tells--
		if p.tells == 0 {
			p.settle()
		}
	case pull:
		p.give(port, grant, m.amount)
	case grant:
		p.grants--
		p.load += m.amount
	case give:
		p.load += m.amount
	case done:
		p.open--
	}
	p.invoke()
}

func (p *processor) serve() {
	for p.invoke(); !p.done || p.open > 0; {
		select {
		case m := <-p.in[north]:
			p.take(north, m)
		case m := <-p.in[south]:
			p.take(south, m)
		case m := <-p.in[west]:
			p.take(west, m)
		case m := <-p.in[east]:
			p.take(east, m)
		}
	}
}

func initial(p int) float64 { return float64(p * 7919 % 1001) }

func runRounds(t torus, rounds int) (seconds float64, messages int, loads []float64) {
	in, out := links[float64](t, 1)
	loads = make([]float64, len(in))
	took := each(len(in), func(p int, began time.Time) {
		loads[p] = balance(initial(p), &in[p], &out[p], rounds)
	})
	return took.Seconds(), rounds * len(in) * ports, loads
}

func runFree(t torus, limit time.Duration) (seconds float64, operations, messages int, loads []float64) {
	in, out := links[message](t, room)
	loads = make([]float64, len(in))
	counts := make([][2]int, len(in))
	took := each(len(in), func(p int, began time.Time) {
		own := processor{load: initial(p), open: ports, end: began.Add(limit), in: &in[p], out: &out[p]}
		own.serve()
		loads[p], counts[p] = own.load, [2]int{own.operations, own.messages}
	})
	for _, count := range counts {
		operations += count[0]
		messages += count[1]
	}
	return took.Seconds(), operations, messages, loads
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	return value
}

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: rounds ROWS COLS ROUNDS, or free ROWS COLS MILLISECONDS")
		os.Exit(2)
	}
	t, amount := torus{number(os.Args[2]), number(os.Args[3])}, number(os.Args[4])
	var seconds float64
	var rounds, messages int
	var loads []float64
	if os.Args[1] == "free" {
		seconds, rounds, messages, loads = runFree(t, time.Duration(amount)*time.Millisecond)
	} else {
		rounds = amount
		seconds, messages, loads = runRounds(t, amount)
	}
	var total, squares float64
	var bits uint64
	for p, load := range loads {
		total += load
		squares += load * load
		bits += math.Float64bits(load) * uint64(2*p+1)
	}
	fmt.Printf("seconds %.9f rounds %d messages %d total %.17g squares %.17g bits %016x\n",
		seconds, rounds, messages, total, squares, bits)
}
