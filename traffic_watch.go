package fabricast

import (
	"time"

	"fabricast/fabric"
	"fabricast/record"
	"fabricast/traffic"
)

// trafficWatch tells how far a measurement of traffic has got: to those who asked for it, and in the folder.
type trafficWatch struct {
	network  *fabric.Network
	run      *traffic.Simulation
	recorder *recorder
	settings settings
}

// begin tells until the function that it returns is called.
func (w *trafficWatch) begin() (end func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		w.look(done)
	}()
	return func() {
		close(done)
		<-ended
	}
}

func (w *trafficWatch) look(done <-chan struct{}) {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	begin := time.Now()
	told := begin
	word := newWord(w.recorder, w.settings.folder, begin)
	word.leave(begin, w.tell)
	for {
		select {
		case <-done:
			return
		case now := <-ticker.C:
			word.leave(now, w.tell)
			if w.settings.progress != nil && now.Sub(told) >= w.settings.interval {
				told = now
				w.settings.progress(w.progress(now.Sub(begin)))
			}
		}
	}
}

// tell fills in what the measurement knows of its progress.
func (w *trafficWatch) tell(p *record.Progress) {
	now, _ := w.run.Progress()
	done := w.network.Progress()
	p.Time, p.Packets, p.PacketHops = now, int64(done.Packets), int64(done.Hops)
}

func (w *trafficWatch) progress(elapsed time.Duration) Progress {
	now, bound := w.run.Progress()
	p := Progress{Time: Time(now), Bound: Time(bound), Elapsed: elapsed, PacketHops: int64(w.network.Progress().Hops)}
	w.recorder.tell(&p)
	return p
}
