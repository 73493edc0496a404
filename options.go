package fabricast

import (
	"time"

	"fabricast/record"
)

// Option changes how a run is carried out, never its result.
type Option func(*settings)

type settings struct {
	workers  int
	progress func(Progress)
	interval time.Duration
	note     func(string)
	hottest  int // links that progress tells of
	out      string
	folder   *record.Folder // where the run records while it goes on; nil if nowhere
}

// Workers sets how many goroutines simulate at once; 0 means one for each core. There are never more than cores.
func Workers(n int) Option { return func(s *settings) { s.workers = n } }

// Progress is how far a run has got.
type Progress struct {
	Time     Time          // simulated
	Finished int           // ranks whose program has ended
	Ranks    int           // 0: the experiment has none
	Elapsed  time.Duration // of the wall clock, since the simulation began

	Bound      Time  // of traffic: the simulated time by which the present phase ends at the latest; else 0
	PacketHops int64 // so far

	Hottest        []LinkLoad // with the option Hottest, the hottest first
	HotFrom, HotTo Time       // when they were that
}

// OnProgress has f called about once every interval while the simulation runs.
func OnProgress(interval time.Duration, f func(Progress)) Option {
	return func(s *settings) { s.interval, s.progress = interval, f }
}

// OnNote has f called before the simulation begins with what may make the result doubtful, as that not all routes were
// checked for deadlock (Result.Notes has it too), or may end the run early, as that memory may run out.
func OnNote(f func(text string)) Option { return func(s *settings) { s.note = f } }

// Record has the run leave a folder with tables of all links and ranks and all
// that is needed to repeat it (docs/formats/result.md). A folder
// that holds an earlier result is replaced; any other is refused before the run.
func Record(folder string) Option { return func(s *settings) { s.out = folder } }
