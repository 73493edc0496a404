// Command particles writes a recording of a particle exchange. In such an exchange a domain has
// just been divided anew, and every process sends the particles that have left its part to their
// new owners.
//
// The exchange is made up, not recorded. Of the exchange that NSIM-ACE replayed, only the sizes of
// the largest messages are published: 2.1 MB with 32 processes and 0.79 MB with 128. The other
// sizes are computed here. They depend on the density of particles, which differs from part to
// part, and on whether two parts share a face or only an edge.
//
//	go run ./examples/go/particles -ranks 128 -largest 790000 -barrier after > exchange.csv
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
)

// exchange holds the parameters of a recording.
type exchange struct {
	ranks   int
	largest int64  // bytes of the largest message
	barrier string // before or after packing, or none
	memory  int64  // bytes/s at which a process packs its messages
	node    int    // processes per node in the recorded program
	local   string // replacement of puts within a node: "put" (none), "compute" or "omit"
	within  int64  // bytes/s of the replacement "compute"
	seed    uint64
}

func main() {
	e := exchange{}
	flag.IntVar(&e.ranks, "ranks", 32, "`number` of processes")
	flag.Int64Var(&e.largest, "largest", 2_100_000, "`bytes` of the largest message")
	flag.StringVar(
		&e.barrier,
		"barrier",
		"before",
		"where the barrier is: `before` packing, after it, or none",
	)
	flag.Int64Var(&e.memory, "memory", 2_000_000_000, "bytes a second at which a process packs")
	flag.IntVar(&e.node, "node", 2, "processes of a node")
	flag.StringVar(
		&e.local, "local", "compute",
		"what messages within a node become, which are packed all the same: put, `compute` or omit",
	)
	flag.Int64Var(&e.within, "within", 2_800_000_000, "bytes a second of that computation")
	flag.Uint64Var(&e.seed, "seed", 1, "of the densities")
	flag.Parse()
	if err := e.check(); err != nil {
		fmt.Fprintln(os.Stderr, "particles:", err)
		os.Exit(2)
	}
	out := bufio.NewWriter(os.Stdout)
	e.write(out)
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "particles:", err)
		os.Exit(1)
	}
}

func (e *exchange) check() error {
	switch {
	case e.ranks < 2 || e.ranks > 1<<20:
		return fmt.Errorf("%d ranks, expected 2 to %d", e.ranks, 1<<20)
	case e.largest < 1 || e.largest > 1<<40:
		return fmt.Errorf("a largest message of %d bytes, expected 1 to %d", e.largest, int64(1)<<40)
	case e.memory < 1:
		return fmt.Errorf("packing at %d bytes a second, expected at least 1", e.memory)
	case e.within < 1:
		return fmt.Errorf("%d bytes a second within nodes, expected at least 1", e.within)
	case e.local != "put" && e.local != "compute" && e.local != "omit":
		return fmt.Errorf("%q for messages within nodes, expected put, compute or omit", e.local)
	case e.node < 1:
		return fmt.Errorf("%d processes of a node, expected at least 1", e.node)
	case e.barrier != "before" && e.barrier != "after" && e.barrier != "none":
		return fmt.Errorf("a barrier %q, expected before, after or none", e.barrier)
	}
	return nil
}

// write writes the recording. Its steps are an optional barrier, packing, and sending.
func (e *exchange) write(w io.Writer) {
	all := e.messages()
	fmt.Fprintf(
		w,
		"# A made-up particle exchange: %d processes, at most %d bytes a message, barrier %s packing.\n",
		e.ranks, e.largest, e.barrier,
	)
	fmt.Fprintln(w, "step,source,destination,bytes")
	if e.barrier == "before" {
		fmt.Fprintln(w, "0,barrier")
	}
	for rank, packed := range e.packing(all) {
		if packed > 0 {
			fmt.Fprintf(w, "1,compute,%d,%dns\n", rank, packed*1_000_000_000/e.memory)
		}
	}
	if e.barrier == "after" {
		fmt.Fprintln(w, "2,barrier")
	}
	for rank, copied := range e.copying(all) {
		if copied > 0 {
			fmt.Fprintf(w, "3,compute,%d,%dns\n", rank, copied*1_000_000_000/e.within)
		}
	}
	for _, m := range all {
		if e.local == "put" || !e.sameNode(m) {
			fmt.Fprintf(w, "3,%d,%d,%d\n", m.from, m.to, m.bytes)
		}
	}
}

// sameNode reports whether a message stays within a node.
func (e *exchange) sameNode(m message) bool { return m.from/e.node == m.to/e.node }

// copying returns the number of bytes that each rank moves within its node, which is simulated as
// computation before the rank sends its other messages.
func (e *exchange) copying(all []message) []int64 {
	copied := make([]int64, e.ranks)
	for _, m := range all {
		if e.local == "compute" && e.sameNode(m) {
			copied[m.from] += m.bytes
		}
	}
	return copied
}

// packing returns the number of bytes that each rank packs, including messages within nodes.
func (e *exchange) packing(all []message) []int64 {
	packed := make([]int64, e.ranks)
	for _, m := range all {
		packed[m.from] += m.bytes
	}
	return packed
}
