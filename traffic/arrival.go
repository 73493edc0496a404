package traffic

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"fabricast/fabric"
	"fabricast/internal/dist"
)

// Process selects the random process by which a source generates messages.
type Process uint8

const (
	// Bernoulli generates a message with the same probability in each flit time of the host link
	// (BookSim's injection process).
	Bernoulli Process = iota
	// Poisson generates messages at exponentially distributed intervals.
	Poisson
	// Bursts generates bursts of messages at the peak load. The number of messages in a burst is
	// geometrically distributed, and the pause between bursts exponentially.
	Bursts
)

// Processes lists the names of the arrival processes, indexed by Process.
var Processes = []string{"bernoulli", "poisson", "bursts"}

// LoadUnit represents a load of 1: the full bandwidth of the source's own host link.
const LoadUnit = 1_000_000_000

// Arrivals describes an arrival process.
type Arrivals struct {
	Process Process
	Load    int64 // share of the bandwidth of the source's own host link, in units of 1/LoadUnit
	Burst   int64 // mean number of messages in a burst, for Bursts
	Peak    int64 // load during a burst, for Bursts
}

// source is the state of the arrival process of a NIC.
type source struct {
	number uint64 // index of the next message, from 0
	at     int64  // time of the next message (ps)
	slot   int64  // Bernoulli: index of the next message's flit time
	part   uint64 // fraction of a ps to add to at, in units of 2^-16
	left   int64  // Bursts: number of messages in the burst after the next message
}

// process holds the parameters of an arrival process. It is immutable.
type process struct {
	kind Process
	slot struct{ num, den uint64 } // flit time of the host link in ps, as a fraction
	// Rates of the geometric distributions (see trials) of the number of flit times between
	// messages, and of the number of messages in a burst.
	gapRate   int64
	burstRate int64
	gap       uint64 // mean time between messages (Bursts: within a burst), in units of 2^-16 ps
	pause     uint64 // mean time between bursts, in units of 2^-16 ps
}

// newProcess creates an arrival process. mean is the mean size of messages on the wire, in bytes
// including headers. bandwidth is the bandwidth of the host link, in bytes per second.
func newProcess(a Arrivals, mean *big.Rat, p fabric.Packet, bandwidth int64) (process, error) {
	if a.Load <= 0 || a.Load > LoadUnit {
		return process{}, fmt.Errorf("a load of %g", float64(a.Load)/LoadUnit)
	}
	r := process{kind: a.Process}
	r.slot.num, r.slot.den = uint64(p.Flit), uint64(bandwidth)
	load := big.NewRat(a.Load, LoadUnit)
	// mean transmission time of a message on the link, in ps
	full := new(big.Rat).Mul(mean, big.NewRat(1e12, bandwidth))
	switch a.Process {
	case Bernoulli:
		share := new(big.Rat).Mul(load, big.NewRat(p.Flit, 1))
		r.gapRate = geometric(share.Quo(share, mean))
	case Poisson:
		r.gap = fixed(full.Quo(full, load))
	case Bursts:
		if a.Burst < 1 || a.Peak < a.Load || a.Peak > LoadUnit {
			return process{}, fmt.Errorf(
				"bursts of %d messages at a load of %g",
				a.Burst, float64(a.Peak)/LoadUnit,
			)
		}
		peak := big.NewRat(a.Peak, LoadUnit)
		r.gap = fixed(new(big.Rat).Quo(full, peak))
		r.burstRate = geometric(big.NewRat(1, a.Burst))
		rest := new(big.Rat).Sub(load.Inv(load), peak.Inv(peak))
		r.pause = fixed(rest.Mul(rest, full.Mul(full, big.NewRat(a.Burst, 1))))
	}
	return r, nil
}

// arrivalProcesses holds the arrival processes of all NICs. It is immutable.
type arrivalProcesses struct {
	all   []process
	kinds []uint8 // by NIC: index in all; nil if all NICs use the first process
}

// newProcesses creates the arrival processes of the NICs of a network. All have the same load
// relative to their own links.
func newProcesses(a Arrivals, mean *big.Rat, spec *fabric.Spec) (p arrivalProcesses, err error) {
	classes := spec.Graph.HostClasses()
	for _, link := range spec.HostLinks() {
		one, err := newProcess(a, mean, spec.Packet, int64(link.Bandwidth))
		if err != nil {
			return p, err
		}
		p.all = append(p.all, one)
	}
	if len(classes) == 1 {
		return p, nil
	}
	p.kinds = make([]uint8, len(spec.Graph.NICPort))
	for nic, port := range spec.Graph.NICPort {
		p.kinds[nic] = uint8(slices.Index(classes, spec.Graph.Ports[port].Link))
	}
	return p, nil
}

// fixed converts a time from ps to units of 2^-16 ps.
func fixed(ps *big.Rat) uint64 {
	scaled := new(big.Rat).Mul(ps, big.NewRat(1<<16, 1))
	return new(big.Int).Quo(scaled.Num(), scaled.Denom()).Uint64()
}

// geometric returns the rate -ln(1-p) of a geometric distribution with success probability p, or 0
// if p is 1.
func geometric(p *big.Rat) int64 {
	miss := new(big.Rat).Sub(big.NewRat(1, 1), p)
	if miss.Sign() <= 0 {
		return 0
	}
	scaled := new(big.Int).Lsh(miss.Num(), 64)
	return max(1, dist.NegLog(scaled.Quo(scaled, miss.Denom()).Uint64()))
}

// trials draws the number of trials up to and including the first success. rate is a result of
// geometric.
func trials(rate int64, d *Draws) int64 {
	if rate == 0 {
		return 1
	}
	return 1 + dist.NegLog(d.Next()|1)/rate
}

// start draws the time of the first message of source s.
func (r *process) start(s *source, d *Draws) {
	switch r.kind {
	case Bernoulli:
		s.slot = trials(r.gapRate, d) - 1
		s.at = r.time(s.slot)
	case Poisson:
		r.wait(s, exponential(r.gap, d))
	case Bursts:
		r.wait(s, exponential(r.pause, d))
		s.left = trials(r.burstRate, d) - 1
	}
}

// advance draws the time of the next message of source s.
func (r *process) advance(s *source, d *Draws) {
	s.number++
	switch r.kind {
	case Bernoulli:
		s.slot += trials(r.gapRate, d)
		s.at = r.time(s.slot)
	case Poisson:
		r.wait(s, exponential(r.gap, d))
	case Bursts:
		r.wait(s, r.gap)
		if s.left--; s.left < 0 {
			s.left = trials(r.burstRate, d) - 1
			r.wait(s, exponential(r.pause, d))
		}
	}
}

// time returns the start time, in ps, of the flit time with index slot on the host link.
func (r *process) time(slot int64) int64 {
	hi, lo := bits.Mul64(uint64(slot)*r.slot.num, 1e12)
	at, _ := bits.Div64(hi, lo, r.slot.den)
	return int64(at)
}

// wait adds gap, in units of 2^-16 ps, to the time of source s.
func (r *process) wait(s *source, gap uint64) {
	s.part += gap & (1<<16 - 1)
	s.at += int64(gap>>16 + s.part>>16)
	s.part &= 1<<16 - 1
}

// exponential draws an exponentially distributed time with the given mean.
func exponential(mean uint64, d *Draws) uint64 {
	hi, lo := bits.Mul64(mean, uint64(dist.NegLog(d.Next()|1)))
	if hi>>dist.Bits != 0 {
		return math.MaxInt64
	}
	return hi<<(64-dist.Bits) | lo>>dist.Bits
}
