package traffic

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"fabricast/fabric"
	"fabricast/internal/draw"
)

// Process says how a source's messages follow one another.
type Process uint8

const (
	// Bernoulli generates a message in each flit time of the host link with the
	// same probability (BookSim's injection process).
	Bernoulli Process = iota
	// Poisson has exponentially distributed times between messages.
	Poisson
	// Bursts generates messages at the peak load in bursts whose number of messages is
	// geometrically distributed, with exponentially distributed pauses between them.
	Bursts
)

// Processes are the names of the arrival processes, by number.
var Processes = []string{"bernoulli", "poisson", "bursts"}

// LoadUnit is a load of 1, the whole bandwidth of the host link.
const LoadUnit = 1_000_000_000

// Arrivals describes an arrival process.
type Arrivals struct {
	Process Process
	Load    int64 // of the host link's bandwidth, in units of 1/LoadUnit
	Burst   int64 // Bursts: mean number of messages
	Peak    int64 // Bursts: load during a burst
}

// source is the state of one NIC's arrival process.
type source struct {
	number uint64 // of the next message
	at     int64  // ps: when it is generated
	slot   int64  // Bernoulli: its flit time
	part   uint64 // fraction of a ps that belongs to at, in units of 2^-16
	left   int64  // Bursts: messages of the burst that follow it
}

// process draws the times of messages. It is immutable.
type process struct {
	kind Process
	slot struct{ num, den uint64 } // ps of a flit time, as a fraction
	// Geometric numbers are 1 + E/rate for an exponentially distributed E; 0: always 1.
	gapRate   int64
	burstRate int64
	gap       uint64 // mean time between messages, ps in units of 2^-16; Bursts: within a burst
	pause     uint64 // mean time between bursts
}

// newProcess makes the process of messages with a mean of so many bytes on the
// wire. The bandwidth (bytes/s) is the host link's.
func newProcess(a Arrivals, mean *big.Rat, p fabric.Packet, bandwidth int64) (process, error) {
	if a.Load <= 0 || a.Load > LoadUnit {
		return process{}, fmt.Errorf("a load of %g", float64(a.Load)/LoadUnit)
	}
	r := process{kind: a.Process}
	r.slot.num, r.slot.den = uint64(p.Flit), uint64(bandwidth)
	load := big.NewRat(a.Load, LoadUnit)
	full := new(big.Rat).Mul(mean, big.NewRat(1e12, bandwidth)) // ps that the link takes for a message
	switch a.Process {
	case Bernoulli:
		share := new(big.Rat).Mul(load, big.NewRat(p.Flit, 1))
		r.gapRate = geometric(share.Quo(share, mean))
	case Poisson:
		r.gap = fixed(full.Quo(full, load))
	case Bursts:
		if a.Burst < 1 || a.Peak < a.Load || a.Peak > LoadUnit {
			return process{}, fmt.Errorf("bursts of %d messages at a load of %g", a.Burst, float64(a.Peak)/LoadUnit)
		}
		peak := big.NewRat(a.Peak, LoadUnit)
		r.gap = fixed(new(big.Rat).Quo(full, peak))
		r.burstRate = geometric(big.NewRat(1, a.Burst))
		rest := new(big.Rat).Sub(load.Inv(load), peak.Inv(peak))
		r.pause = fixed(rest.Mul(rest, full.Mul(full, big.NewRat(a.Burst, 1))))
	}
	return r, nil
}

// fixed is a time in ps in units of 2^-16.
func fixed(ps *big.Rat) uint64 {
	scaled := new(big.Rat).Mul(ps, big.NewRat(1<<16, 1))
	return new(big.Int).Quo(scaled.Num(), scaled.Denom()).Uint64()
}

// geometric is the rate -ln(1-p) of a geometric distribution with probability p
// of success; 0 stands for certainty.
func geometric(p *big.Rat) int64 {
	miss := new(big.Rat).Sub(big.NewRat(1, 1), p)
	if miss.Sign() <= 0 {
		return 0
	}
	scaled := new(big.Int).Lsh(miss.Num(), 64)
	return max(1, draw.NegLog(scaled.Quo(scaled, miss.Denom()).Uint64()))
}

// trials is a geometrically distributed number of trials up to the first success.
func trials(rate int64, d *Draws) int64 {
	if rate == 0 {
		return 1
	}
	return 1 + draw.NegLog(d.Next()|1)/rate
}

// start draws the time of the first message.
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

// advance draws the time of the message after the next one.
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

// time is when a flit time of the host link begins, in ps.
func (r *process) time(slot int64) int64 {
	hi, lo := bits.Mul64(uint64(slot)*r.slot.num, 1e12)
	at, _ := bits.Div64(hi, lo, r.slot.den)
	return int64(at)
}

// wait moves the source's time on by a gap in units of 2^-16 ps.
func (r *process) wait(s *source, gap uint64) {
	s.part += gap & (1<<16 - 1)
	s.at += int64(gap>>16 + s.part>>16)
	s.part &= 1<<16 - 1
}

// exponential draws a gap with the given mean.
func exponential(mean uint64, d *Draws) uint64 {
	hi, lo := bits.Mul64(mean, uint64(draw.NegLog(d.Next()|1)))
	if hi>>draw.Bits != 0 {
		return math.MaxInt64
	}
	return hi<<(64-draw.Bits) | lo>>draw.Bits
}
