package serving

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fabricast/internal/units"
	"fabricast/node"
	"fabricast/node/nodetest"
	"fabricast/workload/gpu"
	"fabricast/workload/transformer"
)

// run serves the requests of a job on a network on which a message takes latency ps, and byteTime for
// each byte.
func run(t interface{ Fatal(...any) }, j *Job, ranks int, latency, byteTime int64) *node.Stats {
	spec := node.Spec{Hosts: ranks, NICsPerHost: 1, Memory: 1e10, HostOf: make([]int32, ranks)}
	for i := range spec.HostOf {
		spec.HostOf[i] = int32(i)
	}
	w, err := node.NewWorld(spec, j.Launch(ranks, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	network := &nodetest.Network{Latency: latency, ByteTime: byteTime}
	network.Run(w, ranks, 1)
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	if n := w.Finished(); n != ranks {
		t.Fatal(fmt.Sprintf("%d of %d ranks finished: %v", n, ranks, w.Deadlock()))
	}
	if s := w.Stats(); s.Unmet > 0 {
		t.Fatal(fmt.Sprintf("%d messages were not received: %+v", s.Unmet, s.Stray))
	}
	return w.Stats()
}

// tiny is a small model.
func tiny() transformer.Model {
	return transformer.Model{
		Layers: 3, Hidden: 16, Heads: 4, KVHeads: 4, FFN: 32, Sequence: 24, Vocabulary: 32, Activation: transformer.SwiGLU,
	}
}

// cacheFor returns memory of a GPU in which so many tokens fit beside the parameters.
func cacheFor(j Job, tokens int64) units.Bytes {
	j.Tensor, j.Expert = max(1, j.Tensor), max(1, j.Expert)
	j.Model, _ = j.Model.Resolved()
	return j.Weights() + units.Bytes(tokens*j.cacheBytes())
}

// drawJob draws a small job and its number of ranks. Most are valid.
func drawJob(r *rapid.T) (j Job, ranks int) {
	number := func(name string, from, to int) int { return rapid.IntRange(from, to).Draw(r, name) }
	j = Job{Model: tiny(), Tensor: 1 << number("tensor", 0, 2), Expert: 1, Seed: rapid.Uint64().Draw(r, "seed")}
	j.Model.Activation = rapid.SampledFrom([]string{transformer.GELU, transformer.SwiGLU}).Draw(r, "activation")
	if number("experts", 0, 1) == 0 {
		j.Expert = 1 << number("expert", 0, 1)
		j.Model.Experts, j.Model.TopK, j.Model.Shared, j.Model.Dense = 4, number("top_k", 1, 3), number("shared", 0, 1), number("dense", 0, 3)
	}
	if number("latent", 0, 4) == 0 {
		j.Model.KVRank, j.Model.Rope, j.Model.QueryRank = 8, 4, 8
	}
	instances := number("instances", 1, 3)
	if instances > 1 && rapid.Bool().Draw(r, "pools") {
		j.Pools.Prefill = number("prefill", 1, instances-1)
		j.Pools.Decode = instances - j.Pools.Prefill
	}
	j.Batching = Batching{Requests: number("most requests", 1, 6), Tokens: number("most tokens", 6, 60), Memory: 100}
	j.Arrivals = Arrivals{
		Requests: number("requests", 1, 12), Interval: units.Time(number("interval", 1, 20_000_000)),
		Prompt: number("prompt", 1, 40), PromptSpread: number("prompt spread", 0, 60),
		Output: number("output", 1, 8), OutputSpread: number("output spread", 0, 60),
	}
	if rapid.Bool().Draw(r, "objectives") {
		j.Objectives = Objectives{FirstToken: units.Time(number("first", 1, 1e8)), Token: units.Time(number("token", 1, 1e8))}
	}
	j.Accelerator.Memory = cacheFor(j, int64(number("cache", 100, 600)))
	return j, j.Tensor * j.Expert * instances
}

// Every job that is not refused ends with no message left. Each request gets as many tokens as it
// asks for, no memory stays taken, and ranks have waited or computed no longer than the run took.
func TestRandomJobs(t *testing.T) {
	refused, served := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		given, ranks := drawJob(r)
		j, problems := given.Resolved(ranks)
		if len(problems) > 0 {
			refused++
			return
		}
		served++
		s := run(r, &j, ranks, 1000, 1)
		conserved(r, &j, s)
		if again := run(r, &j, ranks, 1000, 1); again.Hash != s.Hash || again.End != s.End {
			r.Fatal("another run has another result")
		}
	})
	if refused > served {
		t.Errorf("%d of %d jobs are refused", refused, refused+served)
	}
}

// conserved compares a run with what was asked for.
func conserved(t interface{ Fatalf(string, ...any) }, j *Job, s *node.Stats) {
	requests := j.requests()
	seen := map[int64]int{}
	for _, n := range s.Notes {
		seen[n.Key]++
	}
	asked, prompts, onward := int64(0), int64(0), int64(0)
	for i, q := range requests {
		asked, prompts = asked+int64(q.Output), prompts+int64(q.Prompt)
		onward += int64(q.Output) - 1
		moved := 0
		if j.Pools.Prefill > 0 && q.Output > 1 {
			moved = 1
		}
		for what, want := range map[int]int{noteFirst: 1, noteEnd: 1, noteCache: moved} {
			if got := seen[int64(notesOfRequest*i+what)]; got != want {
				t.Fatalf("request %d: %d notes of kind %d, expected %d", i, got, what, want)
			}
		}
	}
	r := j.Result(s)
	tokens := int64(r.Batch.MeanTokens*float64(r.Iterations) + 0.5)
	if r.Generated != asked || r.Prompts != prompts || tokens != prompts+onward {
		t.Fatalf("%+v: asked for %d tokens after %d", r, asked, prompts)
	}
	if r.Cache.Max > 1 || r.Cache.Mean > r.Cache.Max || r.Batch.MaxRequests > int64(j.Batching.Requests*j.Expert) {
		t.Fatalf("%+v", r)
	}
	if r.FirstToken.Max > r.Latency.Max || r.Latency.Max > r.Duration || r.Duration > s.End {
		t.Fatalf("%+v", r)
	}
	all := int64(s.End) * int64(s.Ranks)
	if sum := s.Counts[computed] + s.Counts[exposed] + s.Counts[exposed+1]; sum > all || s.Counts[computed] <= 0 {
		t.Fatalf("%v ps of %d", s.Counts, all)
	}
	if g := r.Goodput; g != nil && (g.Share < 0 || g.Share > 1 || g.RequestsPerSecond > r.RequestsPerSecond) {
		t.Fatalf("%+v of %v", g, r.RequestsPerSecond)
	}
}

// alone is a job of one request.
func alone(tensor, prompt, output int) Job {
	return Job{
		Model: tiny(), Tensor: tensor,
		Arrivals: Arrivals{Requests: 1, Interval: 1, Prompt: prompt, Output: output},
	}
}

// iteration returns the time of an iteration on an idle network: computation, and rings.
func iteration(j *Job, s shape, latency, byteTime int64) (t int64) {
	n := int64(j.Tensor)
	for _, p := range j.parts(&s) {
		for _, o := range p.ops {
			once := o.compute
			if o.compute == 0 {
				steps := n - 1
				if o.call == 0 { // allreduce: the rings of a reduce-scatter and an allgather
					steps = 2 * (n - 1)
				}
				once = steps * (latency + o.bytes/n*byteTime)
			}
			t += once * int64(p.times)
		}
	}
	return t
}

// A request that is alone takes the time of its iterations, in closed form, on one GPU and on several
// that divide the model.
func TestAlone(t *testing.T) {
	const latency, byteTime, prompt, output = 1_000_000, 100, 40, 5
	for _, tensor := range []int{1, 2, 4} {
		given := alone(tensor, prompt, output)
		given.Batching.Requests, given.Batching.Tokens = 8, 30 // the prompt takes two iterations
		j, problems := given.Resolved(tensor)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		want := iteration(&j, shape{Tokens: 30, Pairs: 30 * 31 / 2, Context: 30, Most: 30}, latency, byteTime) +
			iteration(&j, shape{Tokens: 10, Logits: 1, Pairs: 10*30 + 10*11/2, Context: 40, Most: 10}, latency, byteTime)
		r := j.Result(run(t, &j, tensor, latency, byteTime))
		if slack := announcements(tensor, 2, latency, byteTime); !within(int64(r.FirstToken.Mean), want, slack) {
			t.Errorf("%d ranks: first token after %v, expected %v", tensor, r.FirstToken.Mean, units.Time(want))
		}
		for k := range int64(output - 1) {
			context := prompt + 1 + k
			want += iteration(&j, shape{Tokens: 1, Logits: 1, Decodes: context, Context: context, Most: 1}, latency, byteTime)
		}
		if slack := announcements(tensor, output+1, latency, byteTime); !within(int64(r.Latency.Max), want, slack) {
			t.Errorf("%d ranks: all tokens after %v, expected %v", tensor, r.Latency.Max, units.Time(want))
		}
	}
}

// announcements returns the longest time that the other ranks of an instance of several ranks take to
// hear of iterations.
func announcements(ranks int, iterations, latency, byteTime int64) int64 {
	if ranks == 1 {
		return 0
	}
	return (iterations + 1) * int64(ranks) * (latency + letterBytes*byteTime)
}

// within reports whether got is want, or longer by at most slack.
func within(got, want, slack int64) bool { return got >= want && got <= want+slack }

// In pools the keys and values of a prompt travel once, by a message from each rank, after the first
// token, and the rest is as in one instance.
func TestTransfer(t *testing.T) {
	const latency, byteTime, prompt = 1_000_000, 100, 40
	given := alone(1, prompt, 3)
	given.Pools = Pools{1, 1}
	j, problems := given.Resolved(2)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	r := j.Result(run(t, &j, 2, latency, byteTime))
	given.Pools = Pools{}
	one, _ := given.Resolved(1)
	together := one.Result(run(t, &one, 1, latency, byteTime))
	letters := int64(2 * (latency + letterBytes*byteTime)) // ready, and pull
	want := letters + latency + prompt*j.cacheBytes()*byteTime
	if int64(r.Transfer.Max) != want || r.FirstToken != together.FirstToken {
		t.Errorf("keys and values take %v, expected %v; first token %v and %v",
			r.Transfer.Max, units.Time(want), r.FirstToken.Max, together.FirstToken.Max)
	}
	if got := r.Latency.Max - together.Latency.Max; int64(got) != want {
		t.Errorf("the request takes %v longer, expected %v", got, units.Time(want))
	}
}

// Where requests are answered one after another, none of those that arrive closer together ends
// earlier after its arrival, as the recursion of Lindley says.
func TestLoad(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		given, _ := drawJob(r)
		given.Pools, given.Expert, given.Batching.Requests = Pools{}, 1, 1
		given.Arrivals.Requests = min(given.Arrivals.Requests, 6)
		var last []int64
		for _, interval := range []units.Time{1_000_000 * units.Second / 6, 20_000, 10_000, 5_000} {
			given.Arrivals.Interval = min(interval, mostInterval)
			j, problems := given.Resolved(given.Tensor)
			if len(problems) > 0 {
				return
			}
			notes := j.notes(run(r, &j, j.Tensor, 1000, 1), j.Arrivals.Requests)
			var took []int64
			for i, q := range j.requests() {
				took = append(took, notes[notesOfRequest*i+noteEnd]-q.At)
			}
			for i := range last {
				if took[i] < last[i] {
					r.Fatalf("request %d takes %d ps with interval %v, %d with a larger one", i, took[i], interval, last[i])
				}
			}
			last = took
		}
	})
}

// The times of drawn arrivals scale with the interval, and lengths do not depend on it.
func TestRequests(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		given, ranks := drawJob(r)
		j, problems := given.Resolved(ranks)
		if len(problems) > 0 {
			return
		}
		list := j.requests()
		j.Arrivals.Interval *= 2
		for i, q := range j.requests() {
			if d := q.At - 2*list[i].At; d < 0 || d > int64(i) || q.Prompt != list[i].Prompt || q.Output != list[i].Output {
				r.Fatalf("request %d: %v, with half the interval %v", i, q, list[i])
			}
		}
		if !slices.IsSortedFunc(list, func(a, b Request) int { return int(a.At - b.At) }) {
			r.Fatal("not in order")
		}
	})
	// means of many draws: an exponential time, and a lognormal length
	j := Job{Arrivals: Arrivals{Requests: 100_000, Interval: 1000, Prompt: 1000, PromptSpread: 50, Output: 1}}
	list := j.requests()
	sum := 0.0
	for _, q := range list {
		sum += float64(q.Prompt)
	}
	if mean := float64(list[len(list)-1].At) / 1e5; mean < 985 || mean > 1015 {
		t.Errorf("an arrival in %.0f ps, expected 1000", mean)
	}
	if mean := sum / 1e5; mean < 1125 || mean > 1141 { // 1000 e^(1/8) = 1133
		t.Errorf("prompts of %.0f tokens in the mean, expected 1133", mean)
	}
}

// A layer's operations on one GPU are those that the model has for a prompt of a whole sequence.
func TestOperations(t *testing.T) {
	m, _ := transformer.Model{Preset: "llama3-8b"}.Resolved()
	j := Job{Model: m, Tensor: 1, Expert: 1}
	j.Accelerator = gpu.Accelerator{TFLOPS: 1, Vector: 1 << 20, Bandwidth: 1e15, Efficiency: 95}
	s := int64(m.Sequence)
	at := shape{Tokens: s, Logits: s, Pairs: s * s / 2, Context: s, Most: s}
	t0 := iteration(&j, at, 0, 0)
	want := float64(m.ForwardOperations()) - float64(m.Layers)*float64(m.ScoreOperations())/2
	// at 1 TFLOPS and the efficiency of large products an operation takes 1/0.95 ps
	if ratio := float64(t0) * 0.95 / want; ratio < 0.999 || ratio > 1.01 {
		t.Errorf("%.4f of the model's operations", ratio)
	}
}
