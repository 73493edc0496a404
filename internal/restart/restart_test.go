package restart

import (
	"math"
	"testing"
)

const second = 1_000_000_000

// TestLifeByHand: ten units of work, a checkpoint of one after each four, restarts of two.
func TestLifeByHand(t *testing.T) {
	for _, c := range []struct {
		at   []int64
		want Life
	}{
		{nil, Life{Time: 13}},
		{[]int64{5}, Life{Time: 5 + 2 + 5 + 3, Failures: 1}},              // at the end of a checkpoint: it counts
		{[]int64{4}, Life{Time: 4 + 2 + 13, Failures: 1, Lost: 4}},        // during a checkpoint
		{[]int64{7, 8}, Life{Time: 8 + 2 + 8, Failures: 2, Lost: 2}},      // again while it restarts
		{[]int64{12}, Life{Time: 12 + 2 + 3, Failures: 1, Lost: 2}},       // in the last segment
		{[]int64{13}, Life{Time: 13}},                                     // too late
		{[]int64{7, 9, 10}, Life{Time: 10 + 2 + 8, Failures: 3, Lost: 2}}, // as soon as it works again
	} {
		m := Model{Work: 10, Period: 4, Save: 1, Restart: 2, At: c.at}
		if got, ends := m.Live(0); !ends || got != c.want {
			t.Errorf("failures at %v: %+v, want %+v", c.at, got, c.want)
		}
	}
}

// TestDalysFormula: the mean of many lives is that of the closed form, within three standard errors of
// about a thousandth, where checkpoints are rare, often, and long.
func TestDalysFormula(t *testing.T) {
	for _, c := range []struct{ period, save, restart, mttf int64 }{
		{600, 10, 60, 6_491}, // 16,384 GPUs in 2,048 nodes, each of which fails 6.5 times in 1,000 days
		{60, 10, 60, 6_491},
		{6_000, 10, 60, 6_491},
		{600, 300, 900, 3_000},
	} {
		m := Model{
			Work: 1000 * c.period * second, Period: c.period * second, Save: c.save * second,
			Restart: c.restart * second, MTTF: c.mttf * second, Seed: 7,
		}
		mean, ends := m.Average(400)
		want := Expected(&m)
		if !ends || math.Abs(mean.Time-want) > 0.005*want {
			t.Errorf("%+v: %.0f s, want %.0f s", c, mean.Time/second, want/second)
		}
	}
}

// TestBestPeriods: Young's and Daly's periods lose less than others, by the closed form; Daly's less than
// Young's.
func TestBestPeriods(t *testing.T) {
	for _, save := range []int64{second, 60 * second, 900 * second} {
		const mttf = 6_491 * second
		cost := func(period int64) float64 {
			return Expected(&Model{Work: 1 << 50, Period: period, Save: save, MTTF: mttf})
		}
		young, daly := Young(save, mttf), Daly(save, mttf)
		for _, other := range []int64{young / 2, young * 2, daly / 2, daly * 2, daly * 9 / 10, daly * 11 / 10} {
			if cost(daly) >= cost(other) {
				t.Errorf("save %d: Daly's period %d costs more than %d", save, daly, other)
			}
		}
		if cost(daly) > cost(young) {
			t.Errorf("save %d: Daly's period %d costs more than Young's %d", save, daly, young)
		}
	}
	if got, want := Young(2*second, 3_600*second), int64(120*second); got != want {
		t.Errorf("%d, want %d", got, want)
	}
	if got := Daly(20*second, 9*second); got != 9*second {
		t.Errorf("checkpoints longer than twice the time to a failure: %d", got)
	}
}

// TestJobThatNeverEnds: one whose segments never fit between failures is found out.
func TestJobThatNeverEnds(t *testing.T) {
	m := Model{Work: 100 * second, Period: 100 * second, MTTF: second, Seed: 1}
	if l, ends := m.Live(0); ends {
		t.Errorf("it ends: %+v", l)
	}
	if _, ends := m.Average(2); ends {
		t.Error("its mean ends")
	}
}

// TestRareFailures: those that are years apart do not become many.
func TestRareFailures(t *testing.T) {
	for _, mttf := range []int64{MaxMTTF / 100, MaxMTTF / 3, MaxMTTF} {
		m := Model{Work: 100 * second, Period: 10 * second, Save: second, MTTF: mttf, Seed: 1}
		mean, ends := m.Average(1000)
		if want := float64(110 * second); !ends || mean.Failures > 0.01 || mean.Time < want || mean.Time > 1.01*want {
			t.Errorf("mean time to a failure of %d ns: %+v, %v", mttf, mean, ends)
		}
	}
}
