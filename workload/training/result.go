package training

import "fabricast/internal/units"

// Result is what training steps took. Times are means over ranks and steps. A step is the sum of
// computation, of what is exposed in each dimension, and of the bubble.
type Result struct {
	StepTime        units.Time `json:"step_time_ps"`
	TokensPerSecond float64    `json:"tokens_per_s"`
	// Utilization is that of the model's operations, without recomputation, at the peak of all GPUs.
	Utilization float64    `json:"model_flops_utilization"`
	Computation units.Time `json:"compute_ps"`
	// Exposed is the time in which a rank waited for communication, by dimension.
	Exposed map[string]units.Time `json:"exposed_ps"`
	// Bubble is the time in which a rank would wait for other stages if communication took no time.
	Bubble     units.Time   `json:"bubble_ps"`
	Memory     MemoryResult `json:"memory_bytes"`
	Parameters int64        `json:"parameters"`
	Tokens     int64        `json:"tokens"` // of a step
}

// MemoryResult is what the fullest GPU needs.
type MemoryResult struct {
	Stage       int         `json:"stage"`
	Layers      units.Bytes `json:"layers"`
	Embeddings  units.Bytes `json:"embeddings"`
	Activations units.Bytes `json:"activations"`
	Total       units.Bytes `json:"total"`
	Available   units.Bytes `json:"available"`
}

// Result returns what steps of a resolved job took. counts are the sums that its ranks have kept,
// and took is the time from the start of the job to its end.
func (j *Job) Result(counts []int64, steps int, took units.Time) *Result {
	ranks := int64(j.Ranks()) * int64(steps)
	mean := func(sum int64) units.Time { return units.Time(sum / ranks) }
	r := &Result{
		StepTime: took / units.Time(steps), Computation: mean(counts[computed]), Exposed: map[string]units.Time{},
		Parameters: j.Model.Parameters(), Tokens: int64(j.Batch) * int64(j.Model.Sequence),
	}
	// what is left are waits for other stages, also those at the end of a step
	rest := r.StepTime - r.Computation
	for d, name := range Dimensions() {
		if wait := mean(counts[exposed+d]); Dimension(d) != Pipeline {
			r.Exposed[name] = wait
			rest -= wait
		}
	}
	r.Bubble = min(units.Time(j.Bubble()), max(0, rest))
	r.Exposed[Dimensions()[Pipeline]] = max(0, rest-r.Bubble)
	seconds := float64(max(1, r.StepTime)) / float64(units.Second)
	r.TokensPerSecond = float64(r.Tokens) / seconds
	peak := float64(j.Accelerator.TFLOPS) * 1e12 * float64(j.Ranks())
	r.Utilization = j.Model.StepOperations(j.Batch) / (peak * seconds)
	for stage := range j.Parallel.Pipeline {
		if need := j.Memory(stage); stage == 0 || need.Total() > r.Memory.Total {
			r.Memory = MemoryResult{
				stage, need.Layers, need.Embeddings, need.Activations, need.Total(), j.Accelerator.Memory,
			}
		}
	}
	return r
}
