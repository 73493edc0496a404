package sweep

import (
	"math"
	"slices"
	"strconv"

	"fabricast"
)

// figure is a number or word of a result, under the name used by tables and expressions. Times are
// in ps.
type figure struct {
	name  string
	value func(r *fabricast.Result) any
}

// trafficFigures are the figures of synthetic traffic.
var trafficFigures = []figure{
	{"offered", func(r *fabricast.Result) any { return r.Traffic.Offered.Float() }},
	{"accepted", func(r *fabricast.Result) any { return r.Traffic.Accepted.Mean }},
	{"accepted_half", func(r *fabricast.Result) any { return half(r.Traffic.Accepted.Half) }},
	{"accepted_min", func(r *fabricast.Result) any { return r.Traffic.Accepted.Min }},
	{"accepted_max", func(r *fabricast.Result) any { return r.Traffic.Accepted.Max }},
	{"sent_min", func(r *fabricast.Result) any { return r.Traffic.Accepted.SentMin }},
	{"sent_max", func(r *fabricast.Result) any { return r.Traffic.Accepted.SentMax }},
	{"stable", func(r *fabricast.Result) any { return r.Traffic.Stable }},
	{"converged", func(r *fabricast.Result) any { return r.Traffic.Converged }},
	{"growth", func(r *fabricast.Result) any { return r.Traffic.Growth }},
	{"latency_ps", func(r *fabricast.Result) any { return r.Traffic.Latency.Mean }},
	{"latency_half_ps", func(r *fabricast.Result) any { return half(r.Traffic.Latency.Half) }},
	{"p50_ps", func(r *fabricast.Result) any { return float64(r.Traffic.Latency.P50) }},
	{"p95_ps", func(r *fabricast.Result) any { return float64(r.Traffic.Latency.P95) }},
	{"p99_ps", func(r *fabricast.Result) any { return float64(r.Traffic.Latency.P99) }},
	{"max_ps", func(r *fabricast.Result) any { return float64(r.Traffic.Latency.Max) }},
	{"network_latency_ps", func(r *fabricast.Result) any { return r.Traffic.NetworkLatency }},
	{"hops", func(r *fabricast.Result) any { return r.Traffic.Hops }},
	{"warm_up_ps", func(r *fabricast.Result) any { return float64(r.Traffic.WarmUp) }},
	{"measured_ps", func(r *fabricast.Result) any { return float64(r.Traffic.Measured) }},
	{"measured_messages", func(r *fabricast.Result) any { return float64(r.Traffic.Messages) }},
	{"traffic_classes", func(r *fabricast.Result) any { return trafficClasses(r) }},
	{"capacity", capacity(func(c *fabricast.Capacity) float64 { return c.Load })},
	{"capacity_low", capacity(func(c *fabricast.Capacity) float64 { return c.Low })},
	{"capacity_high", capacity(func(c *fabricast.Capacity) float64 { return c.High })},
}

// programFigures are the figures of programs.
var programFigures = []figure{
	{"simulated_time_ps", func(r *fabricast.Result) any { return float64(r.SimulatedTime) }},
	{"step_time_ps", trained(func(r *fabricast.TrainingResult) float64 { return float64(r.StepTime) })},
	{"tokens_per_s", func(r *fabricast.Result) any { return tokens(r) }},
	{"model_flops_utilization", trained(func(r *fabricast.TrainingResult) float64 { return r.Utilization })},
	{"requests_per_s", served(func(r *fabricast.ServingResult) float64 { return r.RequestsPerSecond })},
	{"time_to_first_token_ps", served(func(r *fabricast.ServingResult) float64 { return float64(r.FirstToken.Mean) })},
	{"p99_time_to_first_token_ps", served(func(r *fabricast.ServingResult) float64 { return float64(r.FirstToken.P99) })},
	{"time_per_output_token_ps", served(func(r *fabricast.ServingResult) float64 { return float64(r.TokenTime.Mean) })},
	{"p99_time_per_output_token_ps", served(func(r *fabricast.ServingResult) float64 { return float64(r.TokenTime.P99) })},
	{"request_latency_ps", served(func(r *fabricast.ServingResult) float64 { return float64(r.Latency.Mean) })},
	{"goodput_requests_per_s", served(goodput)},
	{"latency_ps", func(r *fabricast.Result) any { return float64(r.Latency.Mean) }},
	{"p50_ps", func(r *fabricast.Result) any { return float64(r.Latency.P50) }},
	{"p99_ps", func(r *fabricast.Result) any { return float64(r.Latency.P99) }},
	{"max_ps", func(r *fabricast.Result) any { return float64(r.Latency.Max) }},
	{"classes", func(r *fabricast.Result) any { return programClasses(r) }},
	{"messages", func(r *fabricast.Result) any { return float64(r.Messages) }},
	{"payload_bytes", func(r *fabricast.Result) any { return float64(r.PayloadBytes) }},
	{"ranks", func(r *fabricast.Result) any { return float64(r.Ranks) }},
	{"balanced_ps", func(r *fabricast.Result) any { return balanced(r) }},
	{"slowdown", func(r *fabricast.Result) any { return float64(r.SimulatedTime) / balanced(r) }},
}

// commonFigures are the figures of both programs and synthetic traffic.
var commonFigures = []figure{
	{"packets", func(r *fabricast.Result) any { return float64(r.Packets) }},
	{"packet_hops", func(r *fabricast.Result) any { return float64(r.PacketHops) }},
	{"events", func(r *fabricast.Result) any { return float64(r.Events) }},
	{"events_per_s", func(r *fabricast.Result) any { return r.EventRate() }},
	{"links_mean", func(r *fabricast.Result) any { return r.Links.MeanUtilization }},
	{"links_max", func(r *fabricast.Result) any { return r.Links.MaxUtilization }},
	{"link_classes", func(r *fabricast.Result) any { return classes(r) }},
	{"windows", func(r *fabricast.Result) any { return float64(r.Windows) }},
	{"rounds", optimistic(func(o *fabricast.OptimisticResult) float64 { return float64(o.Rounds) })},
	{"gvt_rounds", optimistic(func(o *fabricast.OptimisticResult) float64 { return float64(o.GVTRounds) })},
	{
		"cautious_rounds",
		optimistic(func(o *fabricast.OptimisticResult) float64 { return float64(o.Cautious) }),
	},
	{
		"synchronizations",
		optimistic(func(o *fabricast.OptimisticResult) float64 { return float64(o.Synchronizations) }),
	},
	{"event_efficiency", optimistic(func(o *fabricast.OptimisticResult) float64 { return o.Efficiency })},
	{
		"rolled_back_windows",
		optimistic(func(o *fabricast.OptimisticResult) float64 { return float64(o.RolledBack) }),
	},
	{"saved_bytes", optimistic(func(o *fabricast.OptimisticResult) float64 { return float64(o.SavedBytes) })},
	{
		"save_memory_bytes",
		optimistic(func(o *fabricast.OptimisticResult) float64 { return float64(o.SaveMemory) }),
	},
	{"wall_s", func(r *fabricast.Result) any { return r.Host.Wall }},
	{"cpu_s", func(r *fabricast.Result) any { return r.Host.User + r.Host.Sys }},
	{"memory_bytes", func(r *fabricast.Result) any { return float64(r.Host.PeakRSS) }},
}

// Default columns of a table, for synthetic traffic and for programs.
var (
	trafficColumns = []string{
		"offered", "accepted", "accepted_half", "accepted_min", "accepted_max", "stable",
		"latency_ps", "latency_half_ps", "p99_ps", "network_latency_ps", "hops", "links_max",
	}
	programColumns = []string{
		"simulated_time_ps",
		"messages",
		"latency_ps",
		"p99_ps",
		"packets",
		"packet_hops",
		"links_mean",
		"links_max",
	}
)

// optimistic returns a function that reads a figure of the optimistic modes from a result. In the
// conservative mode, every simulation window is a cautious round, several processes synchronize in
// each window, and nothing is saved or rolled back.
func optimistic(figure func(*fabricast.OptimisticResult) float64) func(*fabricast.Result) any {
	return func(r *fabricast.Result) any {
		if r.Optimistic != nil {
			return figure(r.Optimistic)
		}
		o := &fabricast.OptimisticResult{}
		o.Efficiency, o.Rounds, o.Cautious = 1, r.Windows, r.Windows
		if r.Processes > 1 {
			o.Synchronizations = r.Windows
		}
		return figure(o)
	}
}

// balanced returns the time (ps) of the balanced experiment. It is the result's own time without
// imbalance, and NaN if unknown.
func balanced(r *fabricast.Result) float64 {
	switch {
	case r.Imbalance == nil:
		return float64(r.SimulatedTime)
	case r.Imbalance.Balanced == 0:
		return math.NaN()
	}
	return float64(r.Imbalance.Balanced)
}

// trained returns a function that reads a figure of training steps from a result: NaN if there are none.
func trained(figure func(*fabricast.TrainingResult) float64) func(*fabricast.Result) any {
	return func(r *fabricast.Result) any {
		if r.Training == nil {
			return math.NaN()
		}
		return figure(r.Training)
	}
}

// served is like trained, for a served model.
func served(figure func(*fabricast.ServingResult) float64) func(*fabricast.Result) any {
	return func(r *fabricast.Result) any {
		if r.Serving == nil {
			return math.NaN()
		}
		return figure(r.Serving)
	}
}

// goodput returns the requests per second that keep the objectives, NaN if there are none.
func goodput(r *fabricast.ServingResult) float64 {
	if r.Goodput == nil {
		return math.NaN()
	}
	return r.Goodput.RequestsPerSecond
}

// tokens returns the tokens per second of a training step or a served model, NaN if there are none.
func tokens(r *fabricast.Result) float64 {
	switch {
	case r.Training != nil:
		return r.Training.TokensPerSecond
	case r.Serving != nil:
		return r.Serving.TokensPerSecond
	}
	return math.NaN()
}

// capacity returns a function that reads a figure of the network's capacity from a result: +Inf if
// no link between routers is used, NaN if the capacity is unknown.
func capacity(figure func(*fabricast.Capacity) float64) func(*fabricast.Result) any {
	return func(r *fabricast.Result) any {
		switch {
		case r.Traffic.Capacity != nil:
			return figure(r.Traffic.Capacity)
		case r.Links.Bytes == 0:
			return math.Inf(1)
		}
		return math.NaN()
	}
}

// half returns v, the half-width of a confidence interval, or NaN if v is negative, which means
// that it could not be computed.
func half(v float64) float64 {
	if v < 0 {
		return math.NaN()
	}
	return v
}

// figuresOf returns the figures of experiments with synthetic traffic, or of those with programs.
func figuresOf(traffic bool) []figure {
	if traffic {
		return slices.Concat(trafficFigures, commonFigures, congestionFigures)
	}
	return slices.Concat(programFigures, commonFigures, congestionFigures)
}

// figureNames returns the names of all figures.
func figureNames() []string {
	var names []string
	for _, list := range [][]figure{trafficFigures, programFigures, commonFigures, congestionFigures} {
		for _, f := range list {
			names = append(names, f.name)
		}
	}
	return names
}

// show adds the figures of a result to the variables of its point.
func show(env map[string]any, r *fabricast.Result) {
	for _, f := range figuresOf(r.Traffic != nil) {
		env[f.name] = f.value(r)
	}
}

// classes returns the link utilization by class, for expressions such as
// link_classes["global"].max.
func classes(r *fabricast.Result) map[string]map[string]float64 {
	all := map[string]map[string]float64{}
	for _, c := range r.LinkClasses {
		all[c.Class] = map[string]float64{
			"min":  c.MinUtilization,
			"mean": c.MeanUtilization,
			"max":  c.MaxUtilization,
		}
	}
	return all
}

// programClasses returns the results of programs by the number of the class, and its name if it has one,
// for expressions such as classes["1"].p99_ps or classes.bulk.share.
func programClasses(r *fabricast.Result) map[string]map[string]float64 {
	all := map[string]map[string]float64{}
	for i := range r.Classes {
		c := &r.Classes[i]
		figures := map[string]float64{
			"messages": float64(c.Messages), "payload_bytes": float64(c.PayloadBytes), "share": c.Share,
			"bytes_per_s": c.Throughput, "latency_ps": float64(c.Latency.Mean), "p50_ps": float64(c.Latency.P50),
			"p99_ps": float64(c.Latency.P99), "max_ps": float64(c.Latency.Max),
		}
		all[strconv.Itoa(c.Class)] = figures
		if c.Name != "" {
			all[c.Name] = figures
		}
	}
	return all
}

// trafficClasses returns the results of synthetic traffic by class, for expressions such as
// traffic_classes["1"].p99_ps.
func trafficClasses(r *fabricast.Result) map[string]map[string]float64 {
	all := map[string]map[string]float64{}
	for _, c := range r.Traffic.Classes {
		all[strconv.Itoa(c.Class)] = map[string]float64{
			"accepted": c.Accepted, "share": c.Share, "latency_ps": c.Latency.Mean, "p50_ps": float64(c.Latency.P50),
			"p95_ps": float64(c.Latency.P95), "p99_ps": float64(c.Latency.P99), "max_ps": float64(c.Latency.Max),
		}
	}
	return all
}
