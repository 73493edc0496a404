package timewarp

import "testing"

// world is what rounds cost in a test: windows of so much work, meetings, and what is lost in a
// larger batch.
type world struct {
	window, meeting int64   // ns
	undone          float64 // of a batch of n windows, n times this share; in larger ones than 1
	saving          float64 // share of the useful time, in larger batches than 1
}

// round returns what a round in batches of so many windows costs.
func (w world) round(batch int) roundCost {
	useful := float64(w.window) * float64(batch)
	c := roundCost{meeting: w.meeting, spent: 1 << 40}
	work := useful
	if batch > 1 {
		share := min(0.99, w.undone*float64(batch))
		c.saving = int64(w.saving * useful)
		work = useful/(1-share) + float64(c.saving)
		c.undone = int64(share * float64(c.spent))
	}
	c.work, c.all, c.windows = int64(work), int64(2*work), int64(batch)
	return c
}

// settle looks so often that a throttle has found a batch, and returns in how many of the rounds since
// each batch was used.
func settle(t *Throttle, w world) map[int]int {
	used := make(map[int]int)
	for i := range 3000 {
		c := w.round(t.batch())
		if t.add(&c); i > 1000 {
			used[t.batch()]++
		}
	}
	return used
}

// mostly returns the batch of most rounds, and the share of these.
func mostly(used map[int]int) (batch int, share float64) {
	all := 0
	for b, n := range used {
		if all += n; n > used[batch] {
			batch = b
		}
	}
	return batch, float64(used[batch]) / float64(all)
}

// TestThrottle: batches are of one window where meetings cost little, and large where they cost much;
// they are smaller where much is undone. What had been found out does not last for ever.
func TestThrottle(t *testing.T) {
	var batch Throttle
	batch.begin(throttleSetting{batch: 64})
	for _, x := range []struct {
		of          world
		least, most int
	}{
		{world{window: 50_000, meeting: 2_000, undone: 0.2, saving: 0.1}, 1, 1},
		{world{window: 5_000, meeting: 50_000, undone: 0, saving: 0.1}, 64, 64},
		{world{window: 50_000, meeting: 2_000, undone: 0.2, saving: 0.1}, 1, 1},
		{world{window: 5_000, meeting: 50_000, undone: 0.02, saving: 0.1}, 4, 32},
		{world{window: 10, meeting: 50_000, undone: 0.001, saving: 0.1}, 64, 64},
		{world{window: 50_000, meeting: 50_000, undone: 0.3, saving: 0.1}, 1, 2},
	} {
		got, share := mostly(settle(&batch, x.of))
		if got < x.least || got > x.most || share < 0.6 {
			t.Errorf("%+v: batches of %d in %.2f of the rounds, want %d to %d", x.of, got, share, x.least, x.most)
		}
	}
	now := batch.batch()
	if batch.begin(throttleSetting{batch: 64}); batch.batch() != now {
		t.Errorf("the next run begins with %d instead of %d", batch.batch(), now)
	}
	if batch.begin(throttleSetting{batch: 40, static: true}); batch.batch() != 40 {
		t.Errorf("a static batch of 40 is one of %d", batch.batch())
	}
	if used := settle(&batch, world{window: 50_000, meeting: 2_000, undone: 0.2}); used[40] != 1999 {
		t.Errorf("a static batch changes: %v", used)
	}
}

// TestThrottleLeavesOneAlone: one worker does it all while there is little to do in a window, and all
// do when there is more.
func TestThrottleLeavesOneAlone(t *testing.T) {
	var batch Throttle
	batch.begin(throttleSetting{batch: 16, mayBeAlone: true})
	for _, x := range []struct {
		window int64
		alone  bool
	}{{100, true}, {50_000, false}, {100, true}, {20_000, false}} {
		w := world{window: x.window, meeting: 2_000, undone: 0.2, saving: 0.1}
		alone, rounds := 0, 2000
		for i := range 2 * rounds {
			c := w.round(batch.batch())
			if batch.alone { // the first has the work of both
				c.work = c.all
			}
			if batch.add(&c); i >= rounds && batch.alone {
				alone++
			}
		}
		if x.alone && alone < rounds*3/4 || !x.alone && alone > rounds/4 {
			t.Errorf("windows of %d ns: the first worker is alone in %d of %d rounds", x.window, alone, rounds)
		}
	}
}
