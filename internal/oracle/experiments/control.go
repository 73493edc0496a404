package experiments

import (
	"math/rand/v2"

	"fabricast/ethernet/control"
	"fabricast/fabric"
	"fabricast/internal/units"
)

// controls are algorithms that control congestion. All but those with their own defaults are so sensitive
// that they act in small experiments.
var controls = map[string]control.Spec{
	"ib-cc":          control.IBCCOptions{Timer: 3 * units.Microsecond, Last: 7 * units.Whole},
	"ib-cc, coarse":  control.IBCCOptions{Threshold: 12, MarkingRate: 2, PacketSize: 64, Increase: 9, Limit: 40, Min: 1},
	"slingshot-like": control.SlingshotLikeOptions{Queue: 1, Senders: 2, PacketSize: 1, Interval: units.Microsecond},

	"ib-cc, hardware":          control.IBCCOptions{Timer: 50 * units.Microsecond},
	"slingshot-like, hardware": control.SlingshotLikeOptions{},
}

// DrawControlled returns the experiment for a seed, whose network controls congestion and has incasts.
func DrawControlled(seed uint64) *Experiment {
	from := []func(uint64) *Experiment{Draw, DrawGeneral, DrawGeneral, DrawShaped}
	e := from[seed%4](seed)
	d := drawer{rand.New(rand.NewPCG(seed, 0x636f6e74726f6c)), light}
	e.IOBus.Bandwidth, e.IOBus.Latency = 0, 0
	names := []string{"ib-cc", "ib-cc, coarse", "slingshot-like"}
	e.Doors = &Doors{Control: pick(d, names...)}
	spec, err := e.Spec()
	if err != nil || e.NICs > 1 || e.Hosts() < 2 {
		return e
	}
	hot, begin := int32(d.IntN(e.Hosts())), d.Int64N(2_000_000)
	for range d.between(2, 40) {
		src := int32(d.IntN(e.Hosts()))
		size := d.Int64N(20 * spec.Packet.Payload())
		if src != hot {
			e.Messages = append(e.Messages, Message{
				Src: src, Dst: hot, Size: size, Cause: AtStart, Delay: begin + d.Int64N(500_000),
			})
		}
	}
	return e
}

// control adds the control of congestion to a specification. Where outputs are chosen late, it is the
// one that does without them.
func (o *Doors) control(doors *fabric.Doors, spec *fabric.Spec) {
	if o.Control == "" {
		return
	}
	options := controls[o.Control]
	if spec.Adaptive != nil {
		options = controls["slingshot-like"]
	}
	c := control.MakeLossless(options, spec)
	doors.Hooks, doors.Injector = c.Hooks, c.Injector
}
