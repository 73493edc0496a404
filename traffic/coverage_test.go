package traffic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// syntheticProcess is a stationary random process with known mean that generates batches.
type syntheticProcess struct {
	name string
	mean float64
	// begin returns a function that returns the mean of the next batch
	begin func(r *rand.Rand) func() float64
}

// autoregressive returns a first-order autoregressive process with variance 1. batch is the number
// of values in a batch.
func autoregressive(coefficient float64, batch int, mean float64) syntheticProcess {
	noise := math.Sqrt(1 - coefficient*coefficient)
	return syntheticProcess{
		name: fmt.Sprintf("autoregressive %g, mean %g", coefficient, mean), mean: mean,
		begin: func(r *rand.Rand) func() float64 {
			x := r.NormFloat64()
			return batched(batch, func() float64 {
				x = coefficient*x + noise*r.NormFloat64()
				return mean + x
			})
		},
	}
}

// waiting returns the process of waiting times in an M/M/1 queue with the given utilization.
func waiting(utilization float64, batch int) syntheticProcess {
	return syntheticProcess{
		name: fmt.Sprintf("M/M/1 %g", utilization), mean: utilization * utilization / (1 - utilization),
		begin: func(r *rand.Rand) func() float64 {
			w := 0.0
			if r.Float64() < utilization {
				w = r.ExpFloat64() * utilization / (1 - utilization)
			}
			return batched(batch, func() float64 {
				now := w
				w = max(0, w+utilization*r.ExpFloat64()-r.ExpFloat64())
				return now
			})
		},
	}
}

func batched(n int, next func() float64) func() float64 {
	return func() float64 {
		sum := 0.0
		for range n {
			sum += next()
		}
		return sum / float64(n)
	}
}

// measured returns the confidence interval of a measurement of at most 200 batches, and whether it
// reached the given precision.
func (p *syntheticProcess) measured(r *rand.Rand, precision float64) (i interval, precise bool) {
	next := p.begin(r)
	var batches []total
	var rule stopping
	for !precise && len(batches) < longest {
		batches = append(batches, total{next(), 1})
		precise = rule.enough(len(batches), len(batches) == longest, func() bool {
			return estimate(batches).within(precision)
		})
	}
	return reported(batches, precise), precise
}

// TestIntervalsHoldTheMean measures correlated and skewed processes with known mean. At least 93 %
// of the 95 % confidence intervals must contain the mean, both for measurements that are precise
// enough and for those that reach the maximum length. The length of batches varies from much
// shorter than the correlation time to longer.
func TestIntervalsHoldTheMean(t *testing.T) {
	if testing.Short() {
		t.Skip("long, of one worker")
	}
	const runs, tolerated = 1000, 0.008 // tolerance for chance: one standard deviation of the share
	precisions := []float64{0.1, 0.02}
	for _, p := range []syntheticProcess{
		autoregressive(0, 10, 5), autoregressive(0.5, 10, 5), autoregressive(0.9, 10, 10),
		autoregressive(0.95, 20, 10), autoregressive(0.98, 20, 20),
		waiting(0.5, 50), waiting(0.7, 100), waiting(0.8, 150),
	} {
		held, ended := 0, 0
		r := rand.New(rand.NewPCG(1, 2))
		for run := range runs {
			i, precise := p.measured(r, precisions[run%len(precisions)])
			if math.Abs(i.mean-p.mean) <= i.half {
				held++
			}
			if precise {
				ended++
			}
		}
		share := float64(held) / runs
		t.Logf("%s: %.3f, %d of %d were precise enough", p.name, share, ended, runs)
		if share < 0.93-tolerated {
			t.Errorf("%s: intervals hold the mean in %.3f of the runs, not 0.93", p.name, share)
		}
		if share > 0.99 {
			t.Errorf("%s: intervals hold the mean in %.3f of the runs: they are too wide", p.name, share)
		}
	}
}
