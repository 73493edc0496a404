package view

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"fabricast"
	"fabricast/record"
	"fabricast/report/data"
)

// keeper keeps the report of some paths up to date.
type keeper struct {
	paths []string
	// whether a path without a result is accepted
	patience bool

	made    time.Time     // when the latest report was made
	took    time.Duration // time taken to make it
	state   string        // result of survey at that time
	count   int           // number of reports made
	growing data.Growing
	// last progress of each run that was in progress at the last check, by index of its path
	last map[int]data.Progress

	mutex  sync.Mutex
	recent []edition // the last one is current
}

// edition is one version of the report.
type edition struct{ report *data.Report }

// editions is the number of report versions stored, because pages may still request arrays of the
// previous version.
const editions = 2

// Limits on how often the report of a run in progress is made again: at least `least` after the
// previous report, and at least `rest` times as long as that report took to make.
const (
	least = 2 * time.Second
	rest  = 4
)

// look makes a new report if anything has changed, and reports whether it did.
func (k *keeper) look() (news bool, err error) {
	state, running := k.survey()
	if state == k.state && k.count > 0 ||
		running && k.count > 0 && time.Since(k.made) < max(least, rest*k.took) {
		return false, nil
	}
	begin := time.Now()
	r, err := k.growing.Make(k.paths...)
	if err != nil {
		if !k.patience && k.count == 0 {
			return false, err
		}
		r = data.Nothing(k.paths...)
	}
	k.made, k.took, k.state = time.Now(), time.Since(begin), state
	k.count++
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.recent = append(k.recent, edition{r})
	k.recent = k.recent[max(0, len(k.recent)-editions):]
	return true, nil
}

// survey returns a text that changes when the results at the paths change, and whether a run is in
// progress.
func (k *keeper) survey() (state string, running bool) {
	var b strings.Builder
	for _, path := range k.paths {
		r, err := record.Open(path)
		if err != nil {
			info, err := os.Stat(path)
			fmt.Fprint(&b, "? ", err == nil && info.IsDir(), "\n")
			continue
		}
		fmt.Fprint(&b, r.State(), " ")
		if r.State() == record.Running {
			running = true
			if p, err := r.Progress(); err == nil {
				fmt.Fprint(&b, p.Bins, " ")
			}
		}
		if info, err := os.Stat(r.Path(record.ResultFile)); err == nil {
			fmt.Fprint(&b, info.ModTime().UnixNano())
		}
		if times, err := fabricast.CheckpointTimes(path); err == nil {
			fmt.Fprint(&b, " ", len(times))
		}
		b.WriteByte('\n')
	}
	return b.String(), running
}

// progress returns the progress of all runs in progress, as JSON for events. A run that has just
// ended is included once more.
func (k *keeper) progress() [][]byte {
	var list [][]byte
	for i, path := range k.paths {
		p, ok := k.progressOf(i, path)
		if !ok {
			continue
		}
		text, err := json.Marshal(struct {
			ID string `json:"id"`
			data.Progress
		}{fmt.Sprintf("r%d", i), p})
		if err == nil {
			list = append(list, text)
		}
	}
	return list
}

func (k *keeper) progressOf(number int, path string) (data.Progress, bool) {
	r, err := record.Open(path)
	if err == nil && r.State() == record.Running {
		r.Watch()
		p, err := r.Progress()
		if err != nil {
			return data.Progress{}, false
		}
		if k.last == nil {
			k.last = map[int]data.Progress{}
		}
		k.last[number] = data.ProgressOf(p)
		return k.last[number], true
	}
	p, went := k.last[number]
	if !went {
		return data.Progress{}, false
	}
	delete(k.last, number)
	// a run that ended without a result has failed
	p.State, p.Left = string(record.Failed), 0
	if err == nil {
		p.State = string(r.State())
	}
	if p.State == string(record.Ended) {
		p.RanksEnded = p.Ranks
	}
	return p, true
}

func (k *keeper) current() edition {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return k.recent[len(k.recent)-1]
}

// blob returns an array of the current or the previous report.
func (k *keeper) blob(name string) ([]byte, bool) {
	k.mutex.Lock()
	recent := append([]edition(nil), k.recent...)
	k.mutex.Unlock()
	for i := len(recent) - 1; i >= 0; i-- {
		if data, ok := recent[i].report.Blobs.Get(name); ok {
			return data, true
		}
	}
	return nil, false
}
