package fabricast

import (
	"context"
	"errors"
	"time"

	"fabricast/node"
	"fabricast/record"
)

// watchInterval is how often a watcher looks: often enough that an
// interrupted run ends well within a second.
const watchInterval = 50 * time.Millisecond

// watcher looks after a simulation while it runs.
type watcher struct {
	done, ended chan struct{}
}

// watch begins to report progress, and to stop the simulation when the context
// ends or a rank has failed.
func (s *simulation) watch(ctx context.Context, settings settings) *watcher {
	w := &watcher{done: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		s.look(ctx, settings, w.done)
	}()
	return w
}

// end stops the watcher and returns when it has.
func (w *watcher) end() {
	close(w.done)
	<-w.ended
}

func (s *simulation) look(ctx context.Context, settings settings, done <-chan struct{}) {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	begin := time.Now()
	told := begin
	word := newWord(s.recorder, settings.folder, begin)
	word.leave(begin, s.tell)
	for {
		select {
		case <-done:
			return
		case <-ctx.Done():
			s.halt()
			<-done
			return
		case now := <-ticker.C:
			if s.failureIsFirst() {
				s.halt()
			}
			word.leave(now, s.tell)
			if settings.progress != nil && now.Sub(told) >= settings.interval {
				told = now
				settings.progress(s.progress(now.Sub(begin)))
			}
		}
	}
}

// tell fills in what the simulation knows of its progress.
func (s *simulation) tell(p *record.Progress) {
	done := s.network.Progress()
	p.Time, p.RanksEnded, p.Ranks = int64(s.now()), s.world.Finished(), s.world.Ranks()
	p.Packets, p.PacketHops = int64(done.Packets), int64(done.Hops)
}

// progress is how far the simulation has got.
func (s *simulation) progress(elapsed time.Duration) Progress {
	p := Progress{
		Time: s.now(), Finished: s.world.Finished(), Ranks: s.world.Ranks(), Elapsed: elapsed,
		PacketHops: int64(s.network.Progress().Hops),
	}
	s.recorder.tell(&p)
	return p
}

// halt ends the run at the next window.
func (s *simulation) halt() {
	s.world.Cancel()
	s.stop.Store(true)
}

// failureIsFirst tells whether a rank has failed and no rank can turn out to
// have failed earlier, so that the error reported does not depend on the workers.
func (s *simulation) failureIsFirst() bool {
	var failed *node.RankError
	return s.world.Failed() && errors.As(s.world.Err(), &failed) && s.now() > Time(failed.Time)
}
