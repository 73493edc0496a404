package workload_test

import (
	"maps"
	"testing"

	"fabricast/collective"
	"fabricast/fabric"
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/node/nodetest"
	"fabricast/pacing"
	"fabricast/workload"
)

// pacedRun runs a program on a network without contention, and calls posted for each message in the
// order of posting.
func pacedRun(t *testing.T, launch node.Launcher, ranks int, posted func(m *fabric.Message, gap uint32)) {
	t.Helper()
	spec := node.Spec{
		Hosts:       ranks,
		NICsPerHost: 1,
		Overhead:    1700,
		Memory:      1e10,
		Replies:     true,
		Overtaking:  true, // short messages pass long ones
		HostOf:      make([]int32, ranks),
	}
	for i := range spec.HostOf {
		spec.HostOf[i] = int32(i)
	}
	w, err := node.NewWorld(spec, launch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	network := &nodetest.Network{
		Latency:  3000,
		ByteTime: 11,
		ReadTime: 7,
		Posted: func(m *fabric.Message, x *fabric.Extra) {
			if x == nil {
				posted(m, 0)
			} else {
				posted(m, x.Gap)
			}
		},
	}
	network.Run(w, ranks, 1)
	if w.Err() != nil || w.Finished() != ranks {
		t.Fatalf("%d of %d ranks finished: %v", w.Finished(), ranks, w.Err())
	}
}

// Every message of every collective has the gap of its step, with sends and puts, with and without
// coroutines, and in every iteration. The messages are those of the symbolic run.
func TestMessagesHaveTheGapsOfTheirSteps(t *testing.T) {
	const ranks = 8
	for _, kind := range collective.Kinds() {
		for _, algorithm := range collective.NamesOfRanks(kind) {
			name := string(kind) + " " + algorithm
			p := workload.Params{Algorithm: algorithm, Size: 64, Iterations: 2, Pacing: new(mpi.Pacing)}
			if kind == collective.KindBarrier {
				p.Size = 0
			}
			type pair struct{ from, to, step int }
			want := map[pair]int{}
			resolved, problems := workload.Find(string(kind)).Resolve(p, ranks)
			if len(problems) > 0 {
				t.Fatal(problems[0])
			}
			for m := range pacing.Steps(ranks, workload.Find(string(kind)).Collective(resolved)) {
				want[pair{m.From, m.To, m.Step}] += p.Iterations
				setStep(p.Pacing, m)
				for m.Step >= len(p.Pacing.Gaps) {
					p.Pacing.Gaps = append(p.Pacing.Gaps, uint32(1+len(p.Pacing.Gaps)))
				}
			}
			for _, p.By = range []string{workload.BySend, workload.ByPut} {
				loop, err := workload.Build(string(kind), p, ranks)
				if err != nil {
					t.Fatal(err)
				}
				for _, launch := range []node.Launcher{loop.Programs(), mpi.Programs(loop.Main)} {
					got := map[pair]int{}
					pacedRun(t, launch, ranks, func(m *fabric.Message, gap uint32) {
						if gap > 0 { // responses of NICs have none
							got[pair{int(m.Src), int(m.Dst), int(gap) - 1}]++
						}
					})
					if !maps.Equal(got, want) {
						t.Errorf("%s by %s: numbers of messages %v, want %v", name, p.By, got, want)
					}
				}
			}
		}
	}
}

// Every message of point-to-point programs has the gap of its step, in every iteration. Their other
// messages are not paced.
func TestPointToPointMessagesHaveTheGapsOfTheirSteps(t *testing.T) {
	const ranks = 24
	seen := 0
	for _, program := range workload.Programs() {
		if program.Collective(workload.Params{}) != nil || program.Round(workload.Params{}) == nil {
			continue
		}
		seen++
		for _, by := range []string{workload.BySend, workload.ByPut} {
			p, problems := program.Resolve(workload.Params{Size: 64, Iterations: 3, By: by, Seed: 9}, ranks)
			if len(problems) > 0 {
				t.Fatal(problems[0])
			}
			type pair struct{ from, to, step int }
			want, got := map[pair]int{}, map[pair]int{}
			p.Pacing = new(mpi.Pacing)
			for m := range pacing.Steps(ranks, program.Round(p)) {
				want[pair{m.From, m.To, m.Step}] += p.Iterations
				for m.Step >= len(p.Pacing.Gaps) {
					p.Pacing.Gaps = append(p.Pacing.Gaps, uint32(1+len(p.Pacing.Gaps)))
				}
			}
			loop, err := workload.Build(program.Name, p, ranks)
			if err != nil {
				t.Fatal(err)
			}
			pacedRun(t, loop.Programs(), ranks, func(m *fabric.Message, gap uint32) {
				if gap > 0 {
					got[pair{int(m.Src), int(m.Dst), int(gap) - 1}]++
				}
			})
			if !maps.Equal(got, want) {
				t.Errorf("%s by %s: numbers of messages %v, want %v", program.Name, by, got, want)
			}
		}
	}
	if seen < 5 {
		t.Errorf("only %d programs", seen)
	}
}

// setStep sets, in p.Steps, the step of the send call of message m.
func setStep(p *mpi.Pacing, m pacing.Message) {
	for m.From >= len(p.Steps) {
		p.Steps = append(p.Steps, nil)
	}
	row := &p.Steps[m.From]
	for call := len(*row); call <= m.Call; call++ {
		*row = append(*row, int32(call))
	}
	(*row)[m.Call] = int32(m.Step)
}

// The last gap applies to all further steps. Without gaps, no messages are paced.
func TestGapsOfFurtherSteps(t *testing.T) {
	for _, c := range []struct {
		gaps []uint32
		want func(step int) uint32
	}{
		{nil, func(int) uint32 { return 0 }},
		{[]uint32{5}, func(int) uint32 { return 5 }},
		{[]uint32{1, 2, 3}, func(step int) uint32 { return uint32(min(step, 2) + 1) }},
	} {
		loop, err := workload.Build(
			"alltoall",
			workload.Params{Algorithm: "ring", Size: 9, Pacing: &mpi.Pacing{Gaps: c.gaps}},
			6,
		)
		if err != nil {
			t.Fatal(err)
		}
		pacedRun(t, loop.Programs(), 6, func(m *fabric.Message, gap uint32) {
			if step := int((m.Dst-m.Src+6)%6) - 1; gap != c.want(step) {
				t.Errorf("gaps %d: %d in step %d, want %d", c.gaps, gap, step, c.want(step))
			}
		})
	}
}

// With barriers between steps, the distance between ranks in steps does not exceed the limit.
func TestRanksMeetBetweenSteps(t *testing.T) {
	const ranks = 8
	for _, algorithm := range collective.NamesOfRanks(collective.KindAlltoall) {
		for _, every := range []int{mpi.Once, 1, 2, 3, 100} {
			p := workload.Params{Algorithm: algorithm, Size: 64, Pacing: &mpi.Pacing{Every: every}}
			loop, err := workload.Build("alltoall", p, ranks)
			if err != nil {
				t.Fatal(err)
			}
			var sent [ranks]int // messages with payload, so without those of barriers
			signals := 0
			pacedRun(t, loop.Programs(), ranks, func(m *fabric.Message, _ uint32) {
				if m.Size == 0 {
					signals++
					return
				}
				sent[m.Src]++
				for rank, n := range sent {
					if every > 0 && (sent[m.Src]-1)/every > (n+every-1)/every {
						t.Errorf(
							"%s: rank %d is at step %d while rank %d is at %d, although they meet every %d steps",
							algorithm, m.Src, sent[m.Src], rank, n, every,
						)
					}
				}
			})
			barriers := 1
			if every > 0 {
				barriers += (sent[0] - 1) / every
			}
			if want := barriers * ranks * 3; signals != want {
				t.Errorf(
					"%s, every %d steps: %d signals of barriers, want %d",
					algorithm, every, signals, want,
				)
			}
		}
	}
}
