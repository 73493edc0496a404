package bench

import (
	"fmt"

	"fabricast"
	"fabricast/experiment"
	"fabricast/mpi"
)

// Units of the memory limits of cases, in bytes.
const (
	megabyte = 1e6
	gigabyte = 1e9
)

// Cases returns all cases of the table in a new slice.
func Cases() []*Case {
	one, two := nsim(1), nsim(2)
	two.Name, two.Published, two.SpeedUpOf = "nsim-64k-2w", "", one.Name
	two.Full.Bound = Bound{WallRatio: 0.6}
	two.Short.Bound = two.Full.Bound
	cases := []*Case{one, two, nsimLarge()}
	for _, dims := range [][]int{{2, 2, 2}, {4, 4, 4}, {8, 8, 8}, {16, 8, 8}, {16, 16, 16}} {
		cases = append(cases, bruckSmall(dims...))
	}
	cases = append(cases, bruck16k(), stencil(), inCache(), uniform(), million())
	cases = append(cases, aceCases()...)
	cases = append(cases, traceCases()...)
	cases = append(cases, readingCases()...)
	cases = append(cases, radixCases()...)
	return append(cases, trafficCases()...)
}

// nsim returns NSIM's extreme-scale experiment. Its short size has the same nodes and rounds, with
// shorter messages.
func nsim(workers int) *Case {
	const share = 64
	e := onTorus(bruck(4), 64, 32, 32)
	cut := shareOf(e, share)
	cut.Bound.Memory = 1.2 * gigabyte
	return &Case{
		Name: "nsim-64k", Title: "all-to-all of 4 bytes by Bruck's algorithm on 65,536 nodes",
		Workers:   workers,
		Full:      Size{Experiment: e, Repeat: 1, Bound: Bound{CPU: 300, Memory: 1.2 * gigabyte}},
		Short:     cut,
		Published: "NSIM: nearly 7 h and 16 GB on 8 cores of 2.8 GHz",
	}
}

// shareOf returns e, an all-to-all by Bruck's algorithm, with messages of 1/share of their size.
func shareOf(e fabricast.Experiment, share int) Size {
	e.Program = bruckShare(int(e.Workload.Size), share)
	e.Workload = experiment.Workload{}
	return Size{Experiment: e, Cut: fmt.Sprintf("messages of 1/%d of their bytes", share), Repeat: 1}
}

// bruckShare returns a program that sends the messages of an all-to-all by Bruck's algorithm,
// reduced to 1/share of their size. The number of ranks must be a power of two; size is in bytes.
func bruckShare(size, share int) func(*mpi.Rank) {
	return func(r *mpi.Rank) {
		n, me := r.Size(), r.Rank()
		message := mpi.Size(n / 2 * size / share)
		for bit := 1; bit < n; bit <<= 1 {
			r.Sendrecv(message, (me+bit)%n, 0, message, (me-bit+n)%n, 0)
		}
	}
}

// nsimLarge returns NSIM's experiment with the longest messages.
func nsimLarge() *Case {
	return &Case{
		Name:  "bruck-4k-1024B",
		Title: "all-to-all of 1024 bytes by Bruck's algorithm on 4,096 nodes", Workers: 1,
		Full: Size{Experiment: onTorus(bruck(1024), 16, 16, 16), Repeat: 1},
		Short: Size{
			Experiment: onTorus(bruck(16), 16, 16, 16),
			Cut:        "16 bytes instead of 1024",
			Repeat:     1,
		},
		Published: "NSIM: nearly 1.5 h",
	}
}

// bruckSmall returns the case of an all-to-all of 4 bytes on a torus of few nodes. The full and the
// short size are equal.
func bruckSmall(dims ...int) *Case {
	size := Size{Experiment: onTorus(bruck(4), dims...), Repeat: 3}
	nodes := product(dims)
	c := &Case{
		Name:    fmt.Sprintf("bruck-%d", nodes),
		Title:   fmt.Sprintf("all-to-all of 4 bytes by Bruck's algorithm on %d nodes", nodes),
		Workers: 1, Full: size, Short: size,
	}
	if nodes == 1024 {
		c.Published = "NSIM: 2.3 GB"
	}
	return c
}

func bruck16k() *Case {
	return &Case{
		Name: "bruck-16384", Title: "all-to-all of 4 bytes by Bruck's algorithm on 16,384 nodes", Workers: 1,
		Full:  Size{Experiment: onTorus(bruck(4), 32, 32, 16), Repeat: 1},
		Short: shareOf(onTorus(bruck(4), 32, 32, 16), 16),
	}
}

// stencil returns a solver's communication on a network with longer packets.
func stencil() *Case {
	size := func(iterations int, dims ...int) fabricast.Experiment {
		e := onTorus(
			experiment.Workload{
				Program:    "stencil3d",
				Size:       128 * fabricast.KiB,
				Grid:       dims,
				Iterations: iterations,
			},
			dims...)
		e.Network.Packet.MTU = 2 * fabricast.KiB
		return e
	}
	return &Case{
		Name: "stencil-512k", Title: "3-D stencil on 524,288 ranks, 128 KiB to each of 6 " +
			"neighbours, 3 iterations", Workers: 1,
		Full: Size{
			Experiment: size(3, 128, 64, 64),
			Repeat:     1,
			Bound:      Bound{CPU: 90, Memory: 3 * gigabyte},
		},
		Short:     Size{Experiment: size(1, 32, 32, 32), Cut: "32,768 ranks, 1 iteration", Repeat: 1},
		Published: "TraceR: 542 s on 512 cores",
	}
}

// inCache returns a case whose network fits in a processor's cache.
func inCache() *Case {
	size := Size{Experiment: onTorus(bruck(64), 16, 16, 16), Bound: Bound{NSPerHop: 45}}
	full, short := size, size
	full.Repeat, short.Repeat = 3, 1
	return &Case{
		Name: "in-cache", Title: "all-to-all of 64 bytes by Bruck's algorithm on 4,096 nodes", Workers: 1,
		Full: full, Short: short,
	}
}

// uniform returns random traffic on a network that does not fit in a cache.
func uniform() *Case {
	size := func(messages int) Size {
		w := experiment.Workload{Program: "uniform", Size: 256, Messages: messages, Window: 16}
		return Size{Experiment: onTorus(w, 64, 32, 32), Repeat: 1, Bound: Bound{NSPerHop: 120}}
	}
	c := &Case{
		Name: "uniform-64k", Title: "uniform random traffic on 65,536 nodes, 100 messages of one " +
			"packet each", Workers: 1,
		Full: size(100), Short: size(16),
	}
	c.Short.Cut = "16 messages"
	return c
}

// million returns a case in which each of a million ranks sends one message.
func million() *Case {
	w := experiment.Workload{Program: "ring", Size: 8, Iterations: 1}
	return &Case{
		Name:  "million-ranks",
		Title: "each of a million ranks sends and receives one message of 8 bytes", Workers: 1,
		Full:  Size{Experiment: onTorus(w, 100, 100, 100), Repeat: 1, Bound: Bound{Memory: 8 * gigabyte}},
		Short: Size{Experiment: onTorus(w, 50, 50, 50), Cut: "125,000 ranks", Repeat: 1},
	}
}
