package fabricast

import (
	"time"

	"fabricast/record"
)

// wordInterval is how often a run leaves word of how far it has got.
const wordInterval = 500 * time.Millisecond

// word is what a run leaves in its folder for those who look on.
type word struct {
	s      *simulation
	folder *record.Folder
	begin  time.Time
	left   time.Time // when the last one was
	hops   int64     // until then
}

func newWord(s *simulation, folder *record.Folder, begin time.Time) *word {
	return &word{s: s, folder: folder, begin: begin}
}

// leave leaves word if it is time to.
func (w *word) leave(now time.Time) {
	passed := now.Sub(w.left)
	if w.folder == nil || passed < wordInterval {
		return
	}
	done := w.s.network.Progress()
	p := record.Progress{
		State: record.Running, Time: int64(w.s.now()), RanksEnded: w.s.world.Finished(), Ranks: w.s.world.Ranks(),
		Wall: now.Sub(w.begin).Seconds(), Left: -1, Packets: int64(done.Packets), PacketHops: int64(done.Hops),
	}
	if !w.left.IsZero() {
		p.Rate = float64(p.PacketHops-w.hops) / passed.Seconds()
	}
	if share := float64(p.RanksEnded) / float64(max(p.Ranks, 1)); share >= 0.01 {
		p.Left = p.Wall * (1 - share) / share
	}
	w.left, w.hops = now, p.PacketHops
	w.s.recorder.progress(w.folder, p)
}
