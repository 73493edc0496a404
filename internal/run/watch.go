package run

import (
	"context"
	"errors"
	"time"

	"fabricast/internal/panics"
	"fabricast/internal/units"
	"fabricast/node"
	"fabricast/record"
)

// watchInterval is how often a watcher checks the run: often enough that an interrupted run ends
// well within a second.
const watchInterval = 50 * time.Millisecond

// watcher reports the progress of a simulation, and stops it when the context ends or a rank fails.
type watcher struct {
	done  chan struct{}
	ended <-chan struct{}
}

// watch starts a goroutine that reports progress, and that stops the simulation when the context
// ends or a rank has failed.
func (s *simulation) watch(ctx context.Context, settings settings) *watcher {
	w := &watcher{done: make(chan struct{})}
	w.ended = panics.Go("progress of a run", func() { s.look(ctx, settings, w.done) })
	return w
}

// end stops the watcher and waits until it has stopped.
func (w *watcher) end() {
	close(w.done)
	<-w.ended
}

func (s *simulation) look(ctx context.Context, settings settings, done <-chan struct{}) {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	defer s.forecast.end()
	begin := time.Now()
	told := begin
	word := newWord(s.recorder, settings.folder, begin)
	word.leave(begin, rest{}, s.tell)
	asked := settings.progress != nil || settings.folder != nil
	for {
		select {
		case <-done:
			return
		case <-ctx.Done():
			s.interrupt()
			<-done
			return
		case now := <-ticker.C:
			if s.failureIsFirst() {
				s.halt()
			}
			if s.saver.due(now.Sub(begin), s.now()) {
				s.saver.ask(&s.stop)
			}
			if asked && now.Sub(begin) >= forecastAfter {
				s.forecast.begin()
			}
			rest := s.speed.look(now.Sub(begin), s.work)
			word.leave(now, rest, s.tell)
			if settings.progress != nil && now.Sub(told) >= settings.interval {
				told = now
				settings.progress(s.progress(now.Sub(begin), rest))
			}
		}
	}
}

// tell fills in the simulated time, the ranks that have ended, and the packets and hops so far.
func (s *simulation) tell(p *record.Progress) {
	done := s.network.Progress()
	p.Time, p.RanksEnded, p.Ranks = int64(s.now()), s.world.Finished(), s.world.Ranks()
	p.Packets, p.PacketHops = int64(done.Packets), int64(done.Hops)
}

// progress returns a report of how far the simulation has got.
func (s *simulation) progress(elapsed time.Duration, r rest) Progress {
	p := Progress{
		Time: s.now(), Finished: s.world.Finished(), Ranks: s.world.Ranks(), Elapsed: elapsed,
		PacketHops: int64(s.network.Progress().Hops), Share: r.share, Left: r.left,
	}
	s.recorder.tell(&p)
	return p
}

// halt stops the run at the next window. In an optimistic mode ranks go on until then: windows that
// are repeated must be what they were.
func (s *simulation) halt() {
	if s.team == nil {
		s.world.Cancel()
	}
	s.halted.Store(true)
	s.stop.Store(true)
}

// failureIsFirst reports whether a rank has failed and no other rank can still fail at an earlier
// simulated time. Only then does the reported error not depend on the number of workers.
func (s *simulation) failureIsFirst() bool {
	var failed *node.RankError
	return s.world.Failed() && errors.As(s.world.Err(), &failed) && s.now() > units.Time(failed.Time)
}
