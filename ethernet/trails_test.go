package ethernet_test

import (
	"cmp"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"fabricast/ethernet"
	"fabricast/fabric"
	"fabricast/internal/causes"
	"fabricast/internal/draws"
	"fabricast/internal/ethernetoracle"
	"fabricast/internal/holders"
)

// explained is what hops tell of the messages of a network.
type explained struct {
	divided []fabric.Divided
	waits   []holders.Wait
}

func explain(spec ethernet.Spec, hops []fabric.Hop, every int) (x explained) {
	var z *holders.Horizons
	if every > 0 {
		z = holders.NewHorizons(every)
		for i := range hops {
			z.AddPacket(&hops[i])
		}
		z.End()
	}
	p := holders.NewPackets(spec.Graph, spec.Links, z, func(w *holders.Wait) { x.waits = append(x.waits, *w) },
		func(d *fabric.Divided) { x.divided = append(x.divided, *d) })
	for i := range hops {
		p.Take(&hops[i])
	}
	p.End()
	return x
}

// orderOfHops is that in which tables have hops.
func orderOfHops(a, b *fabric.Hop) int {
	return cmp.Or(
		holders.Compare(a, b), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Flow, b.Flow),
		cmp.Compare(a.Packet, b.Packet), cmp.Compare(a.Times, b.Times), cmp.Compare(a.Reason, b.Reason),
	)
}

// drawRecorded draws a network and what is sent.
func drawRecorded(t *testing.T, r *rand.Rand) (ethernet.Spec, []ethernet.TestFlow) {
	spec := ethernet.DrawSpec(t, r)
	drawCombination(r, &spec)
	return spec, ethernet.DrawFlows(r, &spec)
}

// TestTrails: what hops tell explains each picosecond of each message, sums to its waits, and does not depend on the
// division of the network, or on what is forgotten.
func TestTrails(t *testing.T) {
	kinds := [causes.Count]int64{}
	for seed := range draws.Seeds(60, 20_000) {
		r := rand.New(rand.NewPCG(seed, 17))
		spec, flows := drawRecorded(t, r)
		hops, got := ethernet.HopsOf(t, spec, flows, 1, orderOfHops)
		if hops == nil {
			continue
		}
		others, _ := ethernet.HopsOf(t, spec, flows, 3, orderOfHops)
		if !slices.Equal(hops, others) {
			t.Fatalf("seed %d: hops depend on the number of workers", seed)
		}
		x, y := explain(spec, hops, 0), explain(spec, hops, 7)
		if !slices.Equal(x.waits, y.waits) || !slices.Equal(x.divided, y.divided) {
			t.Fatalf("seed %d: what is found depends on what is forgotten", seed)
		}
		if len(x.divided) != len(flows) {
			t.Fatalf("seed %d: of %d messages %d are divided", seed, len(flows), len(x.divided))
		}
		left := map[int64]int64{}
		for _, d := range x.divided {
			if d.Parts.Sum() != d.Delivered-d.Post || slices.Min(d.Parts[:]) < 0 || !slices.Contains(got, d.Delivered) {
				t.Fatalf("seed %d: %+v", seed, d)
			}
			for part, time := range d.Parts {
				kinds[part] += time
				if causes.Part(part).Waits() {
					left[d.Number] += time
				}
			}
		}
		for _, w := range x.waits {
			if left[w.Message.Message] -= w.Time; w.Time <= 0 {
				t.Fatalf("seed %d: %+v", seed, w)
			}
		}
		for message, rest := range left {
			if rest != 0 {
				t.Fatalf("seed %d: the waits of message %d differ by %d ps", seed, message, rest)
			}
		}
	}
	for _, part := range []causes.Part{
		causes.NICQueue, causes.Serialization, causes.Pacing, causes.Wire, causes.Pipeline, causes.Output,
		causes.Ejection, causes.Window, causes.Pause, causes.Repetition,
	} {
		if kinds[part] == 0 {
			t.Errorf("no message has spent time on %s", part)
		}
	}
}

// TestTrailsOracle: the parts of each message, and whom its waits are charged to, are those of the oracle, in which
// each packet notes what it does whenever time passes.
func TestTrailsOracle(t *testing.T) {
	// messages; waits for repetitions that other messages have caused; waits for links that are or were down
	compared, others, failures := 0, 0, 0
	for seed := range draws.Seeds(60, 20_000) {
		r := rand.New(rand.NewPCG(seed, 19))
		spec, flows := drawRecorded(t, r)
		messages, index := messagesOf(flows), map[int64]int{}
		nics := int32(spec.Graph.NICsPerHost)
		for i := range messages {
			m := &messages[i]
			m.Number = fabric.MessageNumber(m.Src/nics, m.Dst/nics, int32(i), m.Size, m.Post)
			index[m.Number] = i
		}
		_, want, err := ethernetoracle.RunExplaining(spec, messages)
		if errors.Is(err, ethernetoracle.ErrEndless) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		hops, _ := ethernet.HopsOf(t, spec, flows, 1+r.IntN(3), orderOfHops)
		if hops == nil {
			continue
		}
		x := explain(spec, hops, 50)
		waits := make([]map[ethernetoracle.Wait]int64, len(messages))
		for _, w := range x.waits {
			i := index[w.Message.Message]
			if waits[i] == nil {
				waits[i] = map[ethernetoracle.Wait]int64{}
			}
			holder := ethernetoracle.Failure
			if w.Holder.Message != 0 {
				holder = index[w.Holder.Message]
			} else {
				failures++
			}
			waits[i][ethernetoracle.Wait{Part: w.Part, Holder: holder}] += w.Time
			if w.Part == causes.Repetition && w.Holder.Message != w.Message.Message {
				others++
			}
		}
		for _, d := range x.divided {
			i := index[d.Number]
			if d.Parts != want[i].Parts {
				t.Errorf("seed %d: message %d from %d to %d ps takes\n%v, by the oracle\n%v",
					seed, i, d.Post, d.Delivered, d.Parts, want[i].Parts)
			}
			if !maps.Equal(waits[i], want[i].Waits) {
				t.Fatalf("seed %d: message %d (%+v) waits for\n%v, by the oracle\n%v",
					seed, i, messages[i], waits[i], want[i].Waits)
			}
			compared++
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	if compared < 100 || others == 0 || failures == 0 {
		t.Errorf("only %d messages are compared, %d waits for repetitions because of others, %d waits for links that are down",
			compared, others, failures)
	}
}
