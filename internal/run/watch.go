package run

import (
	"context"
	"time"

	"fabricast/internal/panics"
	"fabricast/internal/recording"
	"fabricast/record"
)

// watchInterval is the interval at which a watcher checks the run. It is short enough for an
// interrupted run to end well within a second.
const watchInterval = 50 * time.Millisecond

// watcher reports the progress of a simulation, and stops it when the context ends or a rank fails.
type watcher struct {
	done  chan struct{}
	ended <-chan struct{}
}

// watch starts a goroutine that reports progress, and that stops the simulation when the context
// ends or a rank has failed.
func (s *simulation) watch(ctx context.Context) *watcher {
	w := &watcher{done: make(chan struct{})}
	w.ended = panics.Go("progress of a run", func() { s.observe(ctx, w.done) })
	return w
}

// end stops the watcher and waits until it has stopped.
func (w *watcher) end() {
	close(w.done)
	<-w.ended
}

func (s *simulation) observe(ctx context.Context, done <-chan struct{}) {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	defer s.forecast.end()
	begin := time.Now()
	told := begin
	word := newWord(s.recorder, s.folder, begin)
	word.leave(begin, rest{}, s.tell)
	asked := s.settings.progress != nil || s.folder != nil
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
			rest := s.speed.look(now.Sub(begin), s.course.work)
			word.leave(now, rest, s.tell)
			if s.settings.progress != nil && now.Sub(told) >= s.interval {
				told = now
				s.settings.progress(s.report(now.Sub(begin), rest))
			}
		}
	}
}

// tell sets the simulated time, the number of ranks that have ended, and the packets and hops so
// far.
func (s *simulation) tell(p *record.Progress) {
	done := s.network.Progress()
	now, _ := s.course.clock()
	p.Time, p.RanksEnded, p.Ranks = int64(now), s.jobs.finished(), s.jobs.ranks
	p.Packets, p.PacketHops = int64(done.Packets), int64(done.Hops)
}

// report returns the progress of the simulation.
func (s *simulation) report(elapsed time.Duration, r rest) Progress {
	now, bound := s.course.clock()
	p := Progress{
		Time: now, Bound: bound, Finished: s.jobs.finished(), Ranks: s.jobs.ranks, Elapsed: elapsed,
		PacketHops: int64(s.network.Progress().Hops), Share: r.share, Left: r.left,
	}
	p.Hottest, p.HotFrom, p.HotTo = s.recorder.Hottest()
	return p
}

// halt stops the run at the next window. In an optimistic mode ranks continue until then, because
// repeated windows must be identical.
func (s *simulation) halt() {
	if s.team == nil {
		s.jobs.cancel()
	}
	s.halted.Store(true)
	s.stop.Store(true)
}

// failureIsFirst reports whether a rank has failed and no other rank can still fail at an earlier
// simulated time. Only then is the reported error independent of the number of workers.
func (s *simulation) failureIsFirst() bool {
	if !s.jobs.failed() {
		return false
	}
	first := s.jobs.failure()
	return first != nil && s.now() > first.Time
}

// wordInterval is the interval at which a run writes its progress to its result folder.
const wordInterval = 500 * time.Millisecond

// word writes the progress of a run to its result folder, for reports that follow the run.
type word struct {
	recorder *recording.Recorder
	folder   *record.Folder
	begin    time.Time
	left     time.Time // time of the last write
	hops     int64     // packet hops at that time
}

func newWord(r *recording.Recorder, folder *record.Folder, begin time.Time) *word {
	return &word{recorder: r, folder: folder, begin: begin}
}

// leave writes the progress if wordInterval has passed since the last write. r holds the estimated
// remaining time. ask sets the simulated time, ranks and packets.
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
	w.recorder.Progress(w.folder, p)
}

// speed estimates the speed of a run. It measures from the first work done, because the first
// window of a large network takes a while.
type speed struct {
	begun time.Duration // wall-clock time since the start; 0 if no work has been seen yet
	done  float64       // work done at that time
}

// leastShare is the fraction of a run's work after which the remaining time is estimated.
const leastShare = 0.002

// rest is the completed fraction of a run and its estimated remaining time. Both are zero if
// unknown.
type rest struct {
	share float64
	left  time.Duration
}

// look updates the estimate. elapsed is the wall-clock time since the start. work returns the work
// done and its total, which is 0 if unknown.
func (s *speed) look(elapsed time.Duration, work func() (done, total float64)) rest {
	done, total := work()
	if s.begun == 0 && done > 0 {
		s.begun, s.done = elapsed, done
	}
	done = min(done, total)
	if total <= 0 || done-s.done < leastShare*total {
		return rest{}
	}
	return rest{done / total, time.Duration(float64(elapsed-s.begun) * (total - done) / (done - s.done))}
}
