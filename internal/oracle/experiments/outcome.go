package experiments

import (
	"errors"
	"fmt"

	"fabricast/fabric"
	"fabricast/internal/causes"
	"fabricast/internal/oracle"
)

// Unknown is the value of a time that has not been reported.
const Unknown int64 = -1

// Fate holds the times (ps) at which one message was posted, read from memory and delivered.
type Fate struct {
	Post      int64
	Fetched   int64
	Delivered int64
}

// Outcome holds the observable results of a run.
type Outcome struct {
	Fates     []Fate           // by message
	Ports     []oracle.Traffic // traffic sent, by global port ID
	NICs      []oracle.Traffic // traffic injected, by global NIC ID
	Packets   int64            // number of packets injected
	Hops      int64            // number of links between routers taken by packets
	Delivered int64            // payload bytes delivered
	Latency   int64            // time from injection to memory (ps), summed over the packets; not set if Stuck
	Retried   int64            // times that links have sent packets again
	Lost      int64            // times that links have lost packets
	Repeated  int64            // times that NICs have sent such packets again
	Marked    int64            // times that hooks have changed what a packet carries
	Notified  int64            // replies of hooks that were sent as packets
	Refused   int64            // time for which injectors have held back packets (ps)
	Rerouted  int64            // packets sent another way than without epochs
	Stuck     bool             // packets are left in the network
	// by message: its latency by cause, with the waits at routers divided when packets make requests, and
	// when they start; nil if not known
	Parts, AtStarts []causes.Parts
}

// NewOutcome returns an outcome with all times Unknown.
func NewOutcome(e *Experiment) *Outcome {
	o := &Outcome{Fates: make([]Fate, len(e.Messages))}
	for i := range o.Fates {
		o.Fates[i] = Fate{Unknown, Unknown, Unknown}
	}
	return o
}

// RunOracle runs the experiment on the oracle and returns its outcome.
func RunOracle(e *Experiment) (*Outcome, error) {
	spec, err := e.Spec()
	if err != nil {
		return nil, err
	}
	outcome := NewOutcome(e)
	outcome.Parts, outcome.AtStarts = make([]causes.Parts, len(e.Messages)), make([]causes.Parts, len(e.Messages))
	script := NewScript(e, fabric.HostRange(0, int32(e.Hosts())), outcome)
	o, err := oracle.New(spec, script)
	if err != nil {
		return nil, err
	}
	script.Start(o)
	if err := o.Run(); errors.Is(err, oracle.ErrStuck) {
		outcome.Stuck = true
	} else if err != nil {
		return nil, err
	}
	outcome.Ports = o.Traffic()
	outcome.NICs = o.NICTraffic()
	totals := o.Totals()
	outcome.Packets = totals.Packets
	outcome.Hops = totals.PacketHops
	outcome.Delivered = totals.DeliveredBytes
	outcome.Retried, outcome.Rerouted = totals.Retried, totals.Rerouted
	outcome.Lost, outcome.Repeated = totals.Lost, totals.Repeated
	outcome.Marked, outcome.Notified, outcome.Refused = totals.Marked, totals.Notified, totals.Refused
	if !outcome.Stuck {
		outcome.Latency = totals.Latency
	}
	return outcome, nil
}

// HoldersOfOracle runs the experiment on the oracle, and returns who held what its messages waited for.
func HoldersOfOracle(e *Experiment) (map[oracle.Held]int64, error) {
	spec, err := e.Spec()
	if err != nil {
		return nil, err
	}
	script := NewScript(e, fabric.HostRange(0, int32(e.Hosts())), NewOutcome(e))
	o, err := oracle.New(spec, script)
	if err != nil {
		return nil, err
	}
	o.RecordHolders()
	script.Start(o)
	if err := o.Run(); err != nil {
		return nil, err
	}
	return o.Holders(), nil
}

// Diff returns a description of the earliest difference between two outcomes of the same
// experiment, or "" if they are equal.
func Diff(e *Experiment, want, got *Outcome) string {
	if text := diffFates(e, want, got); text != "" {
		return text
	}
	if text := diffTraffic("port", want.Ports, got.Ports); text != "" {
		return text
	}
	if text := diffTraffic("NIC", want.NICs, got.NICs); text != "" {
		return text
	}
	if want.Stuck != got.Stuck {
		return fmt.Sprintf("stuck: %v, want %v", got.Stuck, want.Stuck)
	}
	if w, g := want.sums(), got.sums(); w != g {
		return fmt.Sprintf(
			"packets, hops, bytes, latency, packets sent again, lost, repeated, rerouted, marked, replies, time held back: %d, want %d",
			g, w,
		)
	}
	if text := diffParts(e, want.Fates, want.Parts, got.Parts); text != "" {
		return text
	}
	return diffParts(e, want.Fates, want.AtStarts, got.AtStarts)
}

// sums returns what an outcome has of the whole network.
func (o *Outcome) sums() [11]int64 {
	return [...]int64{
		o.Packets, o.Hops, o.Delivered, o.Latency, o.Retried, o.Lost, o.Repeated, o.Rerouted, o.Marked, o.Notified, o.Refused,
	}
}

// diffParts describes a difference between the parts of a message, if they are known in both outcomes,
// or from its latency.
func diffParts(e *Experiment, fates []Fate, want, got []causes.Parts) string {
	if want == nil || got == nil {
		return ""
	}
	for i, fate := range fates {
		if fate.Delivered == Unknown {
			continue
		}
		for part := range causes.Count {
			if w, g := want[i][part], got[i][part]; w != g || w < 0 {
				return fmt.Sprintf(
					"message %d %+v with the fate %+v: %s %d ps, want %d ps; parts %d, want %d",
					i, e.Messages[i], fate, part, g, w, got[i], want[i],
				)
			}
		}
		if want[i].Sum() != fate.Delivered-fate.Post {
			return fmt.Sprintf("message %d: parts %d of the fate %+v", i, want[i], fate)
		}
	}
	return ""
}

func diffTraffic(what string, want, got []oracle.Traffic) string {
	for i := range want {
		if want[i] != got[i] {
			return fmt.Sprintf("%s %d carried %+v, want %+v", what, i, got[i], want[i])
		}
	}
	return ""
}

// diffFates describes the difference between messages that is earliest in simulated time, since it
// is closest to its cause.
func diffFates(e *Experiment, want, got *Outcome) string {
	first, text := int64(-1), ""
	note := func(i int, what string, w, g int64) {
		at := min(w, g)
		if w == Unknown || g == Unknown {
			at = max(w, g)
		}
		if w != g && (text == "" || at < first) {
			first = at
			text = fmt.Sprintf(
				"message %d %+v: %s at %d ps, want %d ps (difference %d)",
				i, e.Messages[i], what, g, w, g-w,
			)
		}
	}
	for i := range want.Fates {
		note(i, "posted", want.Fates[i].Post, got.Fates[i].Post)
		note(i, "fetched", want.Fates[i].Fetched, got.Fates[i].Fetched)
		note(i, "delivered", want.Fates[i].Delivered, got.Fates[i].Delivered)
	}
	return text
}
