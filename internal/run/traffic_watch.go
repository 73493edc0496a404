package run

import (
	"sync/atomic"
	"time"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/panics"
	"fabricast/internal/snapshot"
	"fabricast/internal/units"
	"fabricast/record"
	"fabricast/traffic"
)

// trafficWatch reports the progress of a traffic measurement to the caller and in the result
// folder.
type trafficWatch struct {
	network  *fabric.Network
	run      *traffic.Simulation
	recorder *recorder
	settings settings
	saver    *saver // nil if the run leaves no checkpoints
	stop     atomic.Bool
	halted   atomic.Bool // it is stopped for good
	failed   error       // of the last checkpoint
}

// join has the traffic driven together with the other parts of an optimistic run.
func (w *trafficWatch) join(t *team) error {
	m := teamMember{network: w.network, recorder: w.recorder, group: w.settings.group, stop: &w.stop}
	drive, err := t.join(w.settings.member, m, asItIs)
	if err == nil {
		w.run.By(drive)
	}
	return err
}

// asItIs makes a part of a network one of a run.
func asItIs(p *fabric.Part) engine.Part { return p }

// interrupt stops the run, with a last checkpoint if it leaves any.
func (w *trafficWatch) interrupt() {
	if w.saver == nil {
		w.halted.Store(true)
		w.stop.Store(true)
		return
	}
	w.saver.ends.Store(true)
	w.saver.ask(&w.stop)
}

// paused leaves a checkpoint if the run has stopped for one. It reports whether the run goes on.
func (w *trafficWatch) paused() bool {
	wants, last := w.saver.asks(&w.halted, false)
	if !wants {
		return false
	}
	r := reached{rounds: w.run.Windows(), time: w.now()}
	if err := w.saver.save(r, w.parts(), last); err != nil || last {
		w.failed = err
		return false
	}
	w.saver.goOn(&w.stop, &w.halted)
	return true
}

// parts returns the state of the traffic.
func (w *trafficWatch) parts() parts {
	nothing := func(*snapshot.Visitor) {}
	return parts{
		network: w.network, before: nothing, tables: w.recorder, each: nothing, after: w.run.Measured,
	}
}

// resume makes the traffic what it was when its checkpoint was written, if it goes on from one. Then
// what is recorded is attached.
func (w *trafficWatch) resume(s settings) error {
	switch {
	case s.from == nil:
	case s.look == nil:
		return w.parts().restore(s.from, w.attach)
	default:
		if err := w.parts().restore(s.from, nil); err != nil {
			return err
		}
	}
	w.attach()
	return nil
}

// attach makes the recorder observe the network and the messages.
func (w *trafficWatch) attach() {
	w.recorder.attach(w.network, nil)
	if w.recorder.logsMessages() {
		w.run.Log(w.recorder.log)
	}
	w.network.Aside(w.recorder.aside())
}

// now returns the simulated time that all blocks have reached.
func (w *trafficWatch) now() units.Time {
	if t := w.settings.team; t != nil && !t.ended.Load() {
		return units.Time(t.gvt.Load())
	}
	now := w.network.Blocks()[0].Now()
	for _, b := range w.network.Blocks() {
		now = min(now, b.Now())
	}
	return units.Time(now)
}

// begin starts to report progress. The function that it returns stops that.
func (w *trafficWatch) begin() (end func()) {
	done := make(chan struct{})
	ended := panics.Go("progress of traffic", func() { w.look(done) })
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
	var speed speed
	word.leave(begin, rest{}, w.tell)
	for {
		select {
		case <-done:
			return
		case now := <-ticker.C:
			rest := speed.look(now.Sub(begin), w.run.Work)
			word.leave(now, rest, w.tell)
			if w.saver.due(now.Sub(begin), w.now()) {
				w.saver.ask(&w.stop)
			}
			if w.settings.progress != nil && now.Sub(told) >= w.settings.interval {
				told = now
				w.settings.progress(w.progress(now.Sub(begin), rest))
			}
		}
	}
}

// tell fills in the simulated time, packets and hops so far.
func (w *trafficWatch) tell(p *record.Progress) {
	now, _ := w.run.Progress()
	done := w.network.Progress()
	p.Time, p.Packets, p.PacketHops = now, int64(done.Packets), int64(done.Hops)
}

func (w *trafficWatch) progress(elapsed time.Duration, r rest) Progress {
	now, bound := w.run.Progress()
	p := Progress{
		Time:       units.Time(now),
		Bound:      units.Time(bound),
		Elapsed:    elapsed,
		Share:      r.share,
		Left:       r.left,
		PacketHops: int64(w.network.Progress().Hops),
	}
	w.recorder.tell(&p)
	return p
}
