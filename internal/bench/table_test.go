package bench

import (
	"strings"
	"testing"
	"unicode/utf8"

	"fabricast"
	"fabricast/internal/machine"
)

// ran makes a run that took so long.
func ran(cpu, wall float64, peak, packets, hops, instructions int64) run {
	return run{
		result: &Measured{Result: &fabricast.Result{
			Hash: "a", Packets: packets, PacketHops: hops,
			Host: fabricast.Host{User: cpu, Wall: wall, PeakRSS: peak},
		}},
		instructions: instructions,
	}
}

// example is a report with something of everything.
func example() *Report {
	one := &Case{
		Name: "nsim-64k", Workers: 1, Published: "NSIM: nearly 7 h and 16 GB on 8 cores of 2.8 GHz",
		Short: Size{Experiment: fabricast.Experiment{Ranks: 65536}, Bound: Bound{CPU: 300, Memory: 1.2e9}},
	}
	two := &Case{
		Name: "nsim-64k-2w", Workers: 2, SpeedUpOf: "nsim-64k",
		Short: Size{Experiment: fabricast.Experiment{Ranks: 65536}, Bound: Bound{WallRatio: 0.6}},
	}
	small := &Case{
		Name: "bruck-8", Workers: 1,
		Short: Size{Experiment: fabricast.Experiment{Ranks: 8}, Cut: "less of it"},
	}
	broken := &Case{
		Name:    "million-ranks",
		Workers: 1,
		Short:   Size{Experiment: fabricast.Experiment{Ranks: 1000000}},
	}

	r := newReport(false)
	r.Version, r.Date = "1.0", "2026-01-02T03:04:05Z"
	r.Machine = machine.Description{
		Processor: "Abacus",
		CPUs:      2,
		Memory:    25e9,
		System:    "linux/amd64",
		Go:        "go1.26",
		Load:      1.5,
	}
	add := func(c *Case, runs ...run) {
		row := newRow(c, &c.Short)
		if len(runs) > 0 {
			row.fill(runs)
		} else {
			row.Error = "the run needs more memory"
		}
		r.add(c, row)
	}
	add(one,
		ran(310, 300, 1.3e9, 536870912, 4261412864, 400*4261412864),
		ran(250, 240, 1.1e9, 536870912, 4261412864, 400*4261412864),
		ran(200, 190, 1.0e9, 536870912, 4261412864, 400*4261412864))
	add(two, ran(300, 160, 1.2e9, 536870912, 4261412864, 400*4261412864))
	add(small, ran(0.001, 0.0012, 15e6, 24, 34, 50000))
	add(broken)
	r.Cases[0].LeftError = 1.249
	return r
}

// exampleText is the example as a table.
const exampleText = `fabricast 1.0, short form, 2026-01-02T03:04:05Z
Abacus, 2 CPUs, linux/amd64, go1.26, 25.0 GB, load 1.50 before

case           ranks  packets   hops  CPU s  wall s  ns/hop  ins/hop    MB  B/node  bound
nsim-64k       65536     537M  4.26G  250.0   240.0    58.7      400  1100   16785  <300 s <1.2 GB
nsim-64k-2w    65536     537M  4.26G  300.0   160.0    70.4      400  1200   18311  x0.67 <0.6!
bruck-8            8       24     34  0.001   0.001       -        -    15       -
million-ranks  1.00M        -      -      -       -       -        -     -       -  failed

nsim-64k elsewhere: NSIM: nearly 7 h and 16 GB on 8 cores of 2.8 GHz
bruck-8 is cut down: less of it
million-ranks failed: the run needs more memory
nsim-64k: the time left was forecast within a factor of 1.25
x compares the wall time with that of one worker
! misses the bound that the project sets itself
`

func TestText(t *testing.T) {
	var b strings.Builder
	if err := example().Text(&b); err != nil {
		t.Fatal(err)
	}
	if b.String() != exampleText {
		t.Errorf("got\n%s\nexpected\n%s", b.String(), exampleText)
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}
