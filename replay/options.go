package replay

import (
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/trace"
)

// The functions below replay records that only few formats contain.

// startWith starts a nonblocking send or receive with message options.
func (p *player) startWith(r *mpi.Rank, m *trace.Message) (q mpi.Request) {
	context := p.plain(r, m).Context(int32(m.Options.Context))
	r.Emit(func(ops *node.Ops) {
		if m.Receive {
			q = ops.Recv(mpi.Size(int(p.job.size(m.Size))), m.Peer, m.Tag, context)
			return
		}
		o := &m.Options
		q = ops.SendWith(mpi.Size(int(p.job.size(m.Size))), m.Peer, int32(r.Rank()), m.Tag, context, node.Options{
			NIC: int(o.NIC) % (ops.World().NICs() + 1), Gap: o.Gap,
			Protocol: node.Protocol(o.Protocol), Copies: node.Copies(o.Copies),
		})
	})
	return q
}

// beside starts a computation of d ps that runs in parallel with the rank.
func (p *player) beside(r *mpi.Rank, d int64) (q mpi.Request) {
	r.Emit(func(ops *node.Ops) { q = ops.Timer(d) })
	return q
}

// probe waits until a message that matches m has arrived.
func (p *player) probe(r *mpi.Rank, m *trace.Message) {
	context := p.plain(r, m).Context(int32(m.Options.Context))
	r.Block(func(ops *node.Ops) bool {
		ops.Probe(m.Peer, m.Tag, context)
		return true
	})
}

// test tests whether request id is complete, which takes the time of an MPI call. A request that is
// not in p.open is already complete.
func (p *player) test(r *mpi.Rank, id uint64) {
	q, found := p.open[id]
	if !found {
		return
	}
	r.Block(func(ops *node.Ops) bool { return ops.Test(q) })
	r.Emit(func(ops *node.Ops) {
		if ops.Flag() {
			delete(p.open, id)
			ops.Free(q)
		}
	})
}

// cancel cancels the receive with request id. In the replay, unlike in the recorded run, a message
// may already have matched the receive.
func (p *player) cancel(r *mpi.Rank, id uint64) {
	r.Block(func(*node.Ops) bool { return true }) // wait until the receive is posted
	r.Emit(func(ops *node.Ops) {
		if q, found := p.open[id]; found {
			delete(p.open, id)
			ops.Cancel(q)
		}
	})
}

// access starts the put or get in record d.
func (p *player) access(r *mpi.Rank, d *trace.Record) {
	m := &d.Message
	context := p.plain(r, m).Context(int32(m.Options.Context))
	buf := mpi.Size(int(p.job.size(m.Size)))
	var q mpi.Request
	r.Emit(func(ops *node.Ops) {
		a := node.Access{Rank: m.Peer, Detached: m.Request == 0, Options: node.Options{
			NIC: int(m.Options.NIC) % (ops.World().NICs() + 1), Gap: m.Options.Gap,
		}}
		if d.Kind == trace.Get {
			q = ops.OneSided().Get(buf, a)
		} else {
			q = ops.OneSided().Put(buf, a, int32(r.Rank()), m.Tag, context)
		}
	})
	if m.Request != 0 {
		p.keep(m.Request, q)
	}
}
