package view

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"fabricast/record"
	"fabricast/report/data"
)

// keeper keeps the report of some paths up to date.
type keeper struct {
	paths    []string
	patience bool

	made    time.Time     // when the report was made
	took    time.Duration // to make it
	state   string        // of the paths then
	count   int           // of reports made
	growing data.Growing

	mutex  sync.Mutex
	recent []edition // the current one is the last
}

// edition is a report at one time.
type edition struct{ report *data.Report }

// Pages may still ask for arrays of the report before.
const editions = 2

// least is how long a report of a run that goes on is good for, at least; and rest how many
// times as long as making it the server does something else.
const (
	least = 2 * time.Second
	rest  = 4
)

// look makes the report anew if there is something new, and tells whether it did.
func (k *keeper) look() (news bool, err error) {
	state, running := k.survey()
	if state == k.state && k.count > 0 || running && k.count > 0 && time.Since(k.made) < max(least, rest*k.took) {
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

// survey tells in a word how things stand at the paths, and whether a run is going on.
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
		b.WriteByte('\n')
	}
	return b.String(), running
}

// progress is that of the runs that go on, as events tell it.
func (k *keeper) progress() [][]byte {
	var list [][]byte
	for i, path := range k.paths {
		r, err := record.Open(path)
		if err != nil || r.State() != record.Running {
			continue
		}
		r.Watch()
		p, err := r.Progress()
		if err != nil {
			continue
		}
		text, err := json.Marshal(struct {
			ID string `json:"id"`
			data.Progress
		}{fmt.Sprintf("r%d", i), data.ProgressOf(p)})
		if err == nil {
			list = append(list, text)
		}
	}
	return list
}

func (k *keeper) current() edition {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return k.recent[len(k.recent)-1]
}

// blob is an array of the current report or the one before.
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
