//go:build cgo && linux && amd64

package cmpi_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"fabricast"
	"fabricast/cmpi"
	"fabricast/experiment"
	"fabricast/internal/draws"
	"fabricast/node"
)

// counted is a program whose world counts the bytes that are copied.
type counted struct {
	node.Program
	once   *sync.Once
	copied *atomic.Int64
}

func (c counted) Resume(ops *node.Ops) {
	c.once.Do(func() { ops.World().CountCopied(c.copied) })
	c.Program.Resume(ops)
}

func (c counted) Stop() { c.Program.(node.Stopper).Stop() }

// runCounted is like run, and returns the number of bytes copied, too.
func runCounted(
	t *testing.T, e *fabricast.Experiment, program string, workers int, args ...string,
) ([]string, *fabricast.Result, int64) {
	t.Helper()
	output, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	job, err := cmpi.Load(program, args, cmpi.Options{Ranks: e.Ranks, Output: output, Types: cmpi.TypesFail})
	if err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	var copied atomic.Int64
	launch := job.Launcher()
	e.Launch = func(ranks int) func(rank int) node.Program {
		start := launch(ranks)
		return func(rank int) node.Program { return counted{start(rank), &once, &copied} }
	}
	result, err := e.Run(context.Background(), fabricast.Workers(workers))
	if err == nil {
		err = job.Err()
	}
	text, _ := os.ReadFile(output.Name())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return sorted(string(text)), result, copied.Load()
}

// sent returns the bytes that ranks have sent in long and in short messages, as they print them.
func sent(t *testing.T, lines []string, ranks int) (long, short int64) {
	t.Helper()
	if len(lines) != ranks {
		t.Fatalf("%d lines of %d ranks:\n%s", len(lines), ranks, strings.Join(lines, "\n"))
	}
	for _, line := range lines {
		var l, s int64
		if _, err := fmt.Sscanf(line, "long %d short %d", &l, &s); err != nil {
			t.Fatalf("%v in: %s", err, line)
		}
		long, short = long+l, short+s
	}
	return long, short
}

// TestLentContents demands that receivers get what was sent, although buffers change as soon as MPI permits it,
// and that long messages of which the sender knows when they are taken are copied once.
func TestLentContents(t *testing.T) {
	program := compile(t, "testdata/lend/lend.c")
	for seed := range draws.Seeds(3, 100) {
		d := rand.New(rand.NewPCG(seed, 1))
		ranks := 2 + d.IntN(12)
		for _, protocol := range []experiment.Protocol{{}, {Eager: 1000, Rendezvous: "write"}, {Eager: 1000, Rendezvous: "read"}} {
			kinds, args := "isyfv", []string{fmt.Sprint(d.Uint32())}
			name := fmt.Sprintf("%d ranks, seed %s, %+v", ranks, args[0], protocol)
			args = append(args, kinds)
			if protocol.Rendezvous == "" {
				args = append(args, "eager")
			}
			var first *fabricast.Result
			for workers := 1; workers <= 2; workers++ {
				e := torus(ranks)
				e.Node.Protocol = protocol
				lines, result, copied := runCounted(t, e, program, workers, args...)
				long, short := sent(t, lines, ranks)
				if first == nil {
					first = result
				} else if result.Hash != first.Hash {
					t.Errorf("%s: another prediction with several workers", name)
				}
				most := 2 * long
				if protocol.Rendezvous != "" {
					most = long
				}
				if copied < long+2*short || copied > most+2*short {
					t.Errorf("%s: %d bytes copied of %d in long messages and %d in short ones", name, copied, long, short)
				}
			}
		}
	}
}

// TestHugePages demands that large buffers of programs lie in huge pages, where the machine has them.
func TestHugePages(t *testing.T) {
	switch modes, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled"); {
	case err != nil:
		t.Skip(err)
	case strings.Contains(string(modes), "[never]"):
		t.Skip("the machine allows no huge pages")
	}
	lines, _, err := run(t, torus(2), compile(t, "testdata/compute/huge.c"), 1)
	const want = "1 1 1 1 1 1, small 0"
	if err != nil || !slices.Equal(lines, []string{want, want}) {
		t.Errorf("%v\n%s", err, strings.Join(lines, "\n"))
	}
}
