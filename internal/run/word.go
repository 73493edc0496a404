package run

import (
	"time"

	"fabricast/record"
)

// wordInterval is how often a run writes its progress into its result folder.
const wordInterval = 500 * time.Millisecond

// word writes the progress of a run into its result folder, for reports that follow the run.
type word struct {
	recorder *recorder
	folder   *record.Folder
	begin    time.Time
	left     time.Time // time of the last write
	hops     int64     // packet-hops at that time
}

func newWord(r *recorder, folder *record.Folder, begin time.Time) *word {
	return &word{recorder: r, folder: folder, begin: begin}
}

// leave writes the progress if wordInterval has passed since the last time. r holds the estimated
// rest; ask fills in what the run itself knows: simulated time, ranks and packets.
func (w *word) leave(now time.Time, r rest, ask func(*record.Progress)) {
	passed := now.Sub(w.left)
	if w.folder == nil || passed < wordInterval {
		return
	}
	p := record.Progress{State: record.Running, Wall: now.Sub(w.begin).Seconds(), Left: -1}
	ask(&p)
	if !w.left.IsZero() {
		p.Rate = float64(p.PacketHops-w.hops) / passed.Seconds()
	}
	if r.share > 0 {
		p.Left = r.left.Seconds()
	}
	w.left, w.hops = now, p.PacketHops
	w.recorder.progress(w.folder, p)
}
