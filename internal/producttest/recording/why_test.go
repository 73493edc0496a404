package recording

import (
	"path/filepath"
	"testing"

	"fabricast"
	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/internal/causes"
	"fabricast/internal/producttest"
	"fabricast/internal/units"
	"fabricast/internal/whatif"
	"fabricast/internal/why"
	"fabricast/mpi"
	"fabricast/record"
)

const (
	softwareTime = 100 * units.Nanosecond
	late         = 50 * units.Microsecond
)

// explained runs a program on a torus with 4 hosts, and returns its critical path.
func explained(t *testing.T, e *fabricast.Experiment) (*why.Path, *fabricast.Result) {
	t.Helper()
	e.Record.Set("causes")
	folder := filepath.Join(t.TempDir(), "run")
	result := producttest.Run(t, e, fabricast.Record(folder))
	r, err := record.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	p, err := why.Find(r)
	if err != nil {
		t.Fatal(err)
	}
	if p.Sum != p.Predicted || p.Predicted != int64(result.SimulatedTime) {
		t.Errorf("the path takes %d ps, the run %d ps", p.Sum, result.SimulatedTime)
	}
	lateness, delays := int64(0), int64(0)
	for _, s := range p.Waits.States {
		switch s.State {
		case why.LateSender, why.LateReceiver, why.WaitAtBarrier, why.WaitAtNxN, why.EarlyReduce, why.LateBroadcast:
			lateness += s.Time
		}
	}
	for _, d := range p.Waits.Delays {
		delays += d.Direct + d.Propagated
	}
	checkDerivatives(t, e, p)
	if lateness != delays {
		t.Errorf("ranks wait %d ps for late ones, of which %d ps are explained", lateness, delays)
	}
	return p, result
}

// truth is an experiment on four hosts in a row.
func truth(program func(*mpi.Rank)) *fabricast.Experiment {
	e := producttest.Torus(4)
	e.Program, e.Ranks, e.Node.Overhead = program, 4, softwareTime
	return &e
}

// spent returns the time of a rank on the path with a cause, and the number of its segments.
func spent(p *why.Path, rank int32, cause why.Cause) (time units.Time, segments int) {
	for _, s := range p.Segments {
		if s.Rank == rank && s.Cause == cause {
			time += units.Time(s.Time)
			segments++
		}
	}
	return time, segments
}

// checkDerivatives computes the derivatives of a path, and checks that its parts sum.
func checkDerivatives(t *testing.T, e *fabricast.Experiment, p *why.Path) {
	t.Helper()
	built, err := whatif.PlanOf(experiment.Experiment(*e))
	if err != nil {
		t.Fatal(err)
	}
	if err := whatif.Derive(p, built); err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Segments {
		if s.Cause != why.Network {
			continue
		}
		if s.Parts == nil {
			t.Fatalf("a segment is not divided: %+v", s)
		}
		if parts := causes.Parts(*s.Parts); parts.Sum() != s.Time {
			t.Errorf("the parts of a segment of %d ps sum to %d", s.Time, parts.Sum())
		}
	}
}

func derivative(p *why.Path, parameter string) why.Derivative {
	for _, d := range p.Derivatives {
		if d.Parameter == parameter {
			return d
		}
	}
	return why.Derivative{}
}

func stateTime(p *why.Path, state why.WaitState) units.Time {
	for _, s := range p.Waits.States {
		if s.State == state {
			return units.Time(s.Time)
		}
	}
	return 0
}

// TestWhyPingPong: the path follows each message, and the time grows with the software as the path counts.
func TestWhyPingPong(t *testing.T) {
	const rounds = 5
	e := truth(func(r *mpi.Rank) {
		for range rounds {
			switch r.Rank() {
			case 0:
				r.Send(mpi.Size(1000), 1, 0)
				r.Recv(mpi.Size(1000), 1, 0)
			case 1:
				r.Recv(mpi.Size(1000), 0, 0)
				r.Send(mpi.Size(1000), 0, 0)
			}
		}
	})
	p, result := explained(t, e)
	for rank := range int32(2) {
		_, messages := spent(p, rank, why.Network)
		sends, _ := spent(p, rank, why.SendSoftware)
		receives, _ := spent(p, rank, why.ReceiveSoftware)
		if messages != rounds || sends != rounds*softwareTime || receives != rounds*softwareTime {
			t.Errorf("rank %d: %d messages, %v for sends, %v for receives", rank, messages, sends, receives)
		}
	}
	for parameter, count := range map[string]int64{
		"node.overhead": 4 * rounds, "network.link.latency": 3 * 2 * rounds, "network.router.latency": 2 * 2 * rounds,
		"network.link.bandwidth": 2 * rounds * 1008,
	} {
		if d := derivative(p, parameter); d.Count != count || !d.Exact {
			t.Errorf("%s: %+v, want %d", parameter, d, count)
		}
	}
	e.Node.Overhead = softwareTime + units.Nanosecond
	_, longer := explained(t, e)
	if grown := longer.SimulatedTime - result.SimulatedTime; grown != 4*rounds*units.Nanosecond {
		t.Errorf("1 ns more software costs %v", grown)
	}
}

// TestWhyLateRank: a rank that comes late to a barrier is on the path, and is charged with the waits of all
// others.
func TestWhyLateRank(t *testing.T) {
	p, _ := explained(t, truth(func(r *mpi.Rank) {
		if r.Rank() == 2 {
			r.Compute(mpi.Duration(late))
		}
		r.Barrier(collective.Default)
	}))
	if time, _ := spent(p, 2, why.Compute); time != late {
		t.Errorf("rank 2 computes %v of the path", time)
	}
	if waits := stateTime(p, why.WaitAtBarrier); waits < 3*late-units.Microsecond || waits > 3*late {
		t.Errorf("ranks wait %v at the barrier", waits)
	}
	if d := p.Waits.Delays[0]; d.Rank != 2 || d.Doing != record.StateCompute || d.Direct < int64(late-units.Microsecond) ||
		d.Propagated < int64(late-units.Microsecond) {
		t.Errorf("the greatest delay: %+v", d)
	}
	if p.Waits.Imbalance != 3*int64(late) {
		t.Errorf("imbalance: %d ps", p.Waits.Imbalance)
	}
}

// TestWhyLateReceiver: the sender of a rendezvous waits for the receive.
func TestWhyLateReceiver(t *testing.T) {
	for _, rendezvous := range []string{"write", "read"} {
		e := truth(func(r *mpi.Rank) {
			switch r.Rank() {
			case 0:
				r.Send(mpi.Size(100_000), 1, 0)
			case 1:
				r.Compute(mpi.Duration(late))
				r.Recv(mpi.Size(100_000), 0, 0)
			}
		})
		e.Node.Protocol = experiment.Protocol{Rendezvous: rendezvous, Eager: 100}
		p, _ := explained(t, e)
		if time, _ := spent(p, 1, why.Compute); time != late {
			t.Errorf("%s: rank 1 computes %v of the path", rendezvous, time)
		}
		if waits := stateTime(p, why.LateReceiver); waits != late-softwareTime {
			t.Errorf("%s: the sender waits %v for the receive", rendezvous, waits)
		}
		sender, n := spent(p, 0, why.Data)
		receiver, m := spent(p, 1, why.Data)
		if sender+receiver == 0 || n+m != 1 {
			t.Errorf("%s: the data takes %v at the sender, %v at the receiver", rendezvous, sender, receiver)
		}
	}
}

// TestWhyImbalance: in a ring of exchanges, the path stays on the slowest rank, and tells what faster
// computation would gain.
func TestWhyImbalance(t *testing.T) {
	const rounds = 6
	run := func(slow units.Time) (*why.Path, *fabricast.Result) {
		return explained(t, truth(func(r *mpi.Rank) {
			n, me := r.Size(), r.Rank()
			for range rounds {
				work := 10 * units.Microsecond
				if me == 3 {
					work = slow
				}
				r.Compute(mpi.Duration(work))
				r.Sendrecv(mpi.Size(100), (me+1)%n, 0, mpi.Size(100), (me+n-1)%n, 0)
			}
		}))
	}
	p, result := run(20 * units.Microsecond)
	time, _ := spent(p, 3, why.Compute)
	if time != rounds*20*units.Microsecond {
		t.Errorf("rank 3 computes %v of the path", time)
	}
	_, longer := run(20*units.Microsecond + 200*units.Nanosecond)
	if grown := longer.SimulatedTime - result.SimulatedTime; grown != time/100 {
		t.Errorf("1 %% more computation costs %v", grown)
	}
	if d := p.Waits.Delays[0]; d.Rank != 3 || d.Propagated == 0 {
		t.Errorf("the greatest delay: %+v", d)
	}
}

// TestWhyPolling: a rank that tests for a message waits for it, too.
func TestWhyPolling(t *testing.T) {
	p, _ := explained(t, truth(func(r *mpi.Rank) {
		switch r.Rank() {
		case 0:
			r.Compute(mpi.Duration(late))
			r.Send(mpi.Size(10), 1, 0)
		case 1:
			q := r.Irecv(mpi.Size(10), 0, 0)
			for done := false; !done; {
				_, done = r.Test(q)
			}
		}
	}))
	if time, _ := spent(p, 0, why.Compute); time != late {
		t.Errorf("rank 0 computes %v of the path", time)
	}
	if time, _ := spent(p, 1, why.Polling); time > softwareTime {
		t.Errorf("rank 1 polls %v of the path", time)
	}
}
