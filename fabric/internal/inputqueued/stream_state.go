package inputqueued

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
	"fabricast/internal/snapshot"
)

// state visits the records of a block, of which there are at most so many.
func (t *streams) state(v *snapshot.Visitor, most uint32) {
	snapshot.Value(v, &t.used)
	snapshot.Value(v, &t.live)
	snapshot.Value(v, &t.settledTo)
	snapshot.Value(v, &t.gain)
	snapshot.Value(v, &t.rest)
	snapshot.Value(v, &t.rests)
	snapshot.List(v, &t.free)
	snapshot.List(v, &t.passed)
	if t.used > most {
		v.Fail(model.ErrTooMany)
		return
	}
	if t.used > 0 {
		t.reserve()
	}
	for id := uint32(1); id <= t.used && v.Err() == nil; id++ {
		if s := t.at(id); t.uneven {
			snapshot.Value(v, s.unevenPart())
		} else {
			snapshot.Value(v, s)
		}
	}
}

// streamsAt visits the indices of the streams at some routers and their NICs.
func (b streaming) streamsAt(v *snapshot.Visitor, x core.Extent) {
	snapshot.Values(v, b.VCs.fifoStreams.Slice(x.VCs, x.EndVCs-x.VCs))
	snapshot.Values(v, b.VCs.fifoStreams.Slice(x.Ghosts, x.CountGhost))
	snapshot.Values(v, b.portStreams.Slice(x.Ports, x.EndPorts-x.Ports))
	for _, run := range x.Hosts {
		snapshot.Values(v, b.portStreams.Slice(b.FirstNICPort+run.NIC, run.NICs))
	}
}
