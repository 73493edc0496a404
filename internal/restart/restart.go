// Package restart models a job that saves checkpoints, and goes on from the last one after each failure.
//
// The job repeats segments: a period of work, then a checkpoint, the last one with what work is left. A
// failure loses the segment. Then the job restarts, which takes a time of its own; a failure during a
// restart begins it again. All times are in nanoseconds.
package restart

import (
	"math"

	"fabricast/internal/dist"
	"fabricast/internal/random"
)

// Model is a job and its failures.
type Model struct {
	Work    int64 // without failures and checkpoints; at most MaxWork
	Period  int64 // of work between two checkpoints, positive
	Save    int64 // time of a checkpoint
	Restart int64
	// MTTF is the mean of exponentially distributed times between failures, also while the job restarts.
	// 0: it fails At. At most MaxMTTF.
	MTTF int64
	At   []int64 // ascending
	Seed uint64
}

// MaxWork is the largest Work, 73 years.
const MaxWork = 1 << 61

// MaxMTTF is the largest MTTF, 146 years. Failures that are longer apart do not happen.
const MaxMTTF = 1 << 62

// Life is what becomes of a job.
type Life struct {
	Time     int64 // from its start to its last checkpoint
	Failures int64
	Lost     int64 // work and checkpoints that were repeated, or never finished
}

// mostFailures is the number of failures after which a job counts as one that never ends.
const mostFailures = 1_000_000

// Live returns a life of the job, another one for each trial. It returns false if the job never ends: it
// fails more than a million times, or takes longer than 146 years.
func (m *Model) Live(trial uint64) (l Life, ends bool) {
	f := failures{model: m, state: random.Scramble(random.Scramble(m.Seed^seedOfFailures) + trial)}
	f.after(0)
	for kept := int64(0); kept < m.Work; {
		whole := min((m.Work-kept)/m.Period, (f.next-l.Time)/(m.Period+m.Save))
		l.Time += whole * (m.Period + m.Save)
		kept += whole * m.Period
		work := min(m.Period, m.Work-kept)
		if work == 0 {
			break
		}
		if f.next-l.Time >= work+m.Save {
			l.Time += work + m.Save
			kept += work
			continue
		}
		l.Lost += f.next - l.Time
		l.Time, ends = f.restarted(m.Restart)
		if !ends {
			return l, false
		}
	}
	l.Failures = f.count
	return l, l.Time < math.MaxInt64/2
}

// seedOfFailures separates the random numbers of failures from those of other uses of the seed.
const seedOfFailures = 0x72657374617274

// failures are those of one life.
type failures struct {
	model *Model
	state uint64
	next  int64 // when the job fails next; math.MaxInt64: never
	count int64
}

// after finds the next failure after a time.
func (f *failures) after(now int64) {
	if f.model.MTTF == 0 {
		if f.next = math.MaxInt64; f.count < int64(len(f.model.At)) {
			f.next = f.model.At[f.count]
		}
		return
	}
	f.state = random.Scramble(f.state)
	f.next = math.MaxInt64
	if x := dist.NegLog(f.state | 1); x>>dist.Bits < MaxMTTF/f.model.MTTF {
		f.next = now + max(1, dist.Times(f.model.MTTF, x))
	}
}

// restarted returns when the job works again after the next failure; false if that never happens.
func (f *failures) restarted(takes int64) (at int64, ends bool) {
	for {
		at = f.next
		f.count++
		f.after(at)
		if at >= math.MaxInt64/4 || f.count > mostFailures {
			return at, false
		}
		if f.next-at >= takes {
			return at + takes, true
		}
	}
}

// Mean is the mean of several lives.
type Mean struct {
	Time, Failures, Lost float64 // ns, a number, ns
}

// Average returns the mean of the first lives, as many as trials; false if one of them never ends.
func (m *Model) Average(trials int) (mean Mean, ends bool) {
	for trial := range uint64(trials) {
		l, ends := m.Live(trial)
		if !ends {
			return Mean{}, false
		}
		mean.Time += float64(l.Time) / float64(trials)
		mean.Failures += float64(l.Failures) / float64(trials)
		mean.Lost += float64(l.Lost) / float64(trials)
	}
	return mean, true
}
