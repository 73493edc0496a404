package fabricast

import (
	"time"

	"fabricast/record"
)

// wordInterval is how often a run leaves word of how far it has got.
const wordInterval = 500 * time.Millisecond

// word is what a run leaves in its folder for those who look on.
type word struct {
	recorder *recorder
	folder   *record.Folder
	begin    time.Time
	left     time.Time // when the last one was
	hops     int64     // until then
}

func newWord(r *recorder, folder *record.Folder, begin time.Time) *word {
	return &word{recorder: r, folder: folder, begin: begin}
}

// leave leaves word if it is time to. What the run itself knows is asked for then: its time, its
// ranks, and its packets.
func (w *word) leave(now time.Time, ask func(*record.Progress)) {
	passed := now.Sub(w.left)
	if w.folder == nil || passed < wordInterval {
		return
	}
	p := record.Progress{State: record.Running, Wall: now.Sub(w.begin).Seconds(), Left: -1}
	ask(&p)
	if !w.left.IsZero() {
		p.Rate = float64(p.PacketHops-w.hops) / passed.Seconds()
	}
	if share := float64(p.RanksEnded) / float64(max(p.Ranks, 1)); share >= 0.01 {
		p.Left = p.Wall * (1 - share) / share
	}
	w.left, w.hops = now, p.PacketHops
	w.recorder.progress(w.folder, p)
}
