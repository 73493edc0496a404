package record

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// ProgressFile tells how far a run has got; it is replaced as a whole, about twice a second.
const (
	ProgressFile   = "progress.json"
	ProgressSchema = "fabricast.progress/1"
)

// Progress is progress.json.
type Progress struct {
	Schema     string  `json:"schema"`
	State      State   `json:"state"`
	Time       int64   `json:"simulated_time_ps"`
	RanksEnded int     `json:"ranks_ended"`
	Ranks      int     `json:"ranks"` // 0: the experiment has none
	Wall       float64 `json:"wall_s"`
	Left       float64 `json:"eta_s"` // about so long until the end; -1 if not known
	Packets    int64   `json:"packets"`
	PacketHops int64   `json:"packet_hops"`
	Rate       float64 `json:"rate_packet_hops_per_s"` // lately
	Bins       int     `json:"bins"`                   // parts of bins that are complete
	Process    int     `json:"process"`
}

// WriteProgress replaces progress.json.
func (f *Folder) WriteProgress(p Progress) error {
	p.Schema, p.Process = ProgressSchema, os.Getpid()
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return f.replace(ProgressFile, text)
}

// replace writes a file so that whoever reads it sees all of it or what was there before.
func (f *Folder) replace(name string, data []byte) error {
	temp := filepath.Join(f.shelter, name)
	if err := os.WriteFile(temp, data, 0o666); err != nil {
		return err
	}
	return os.Rename(temp, filepath.Join(f.temp, name))
}

// Progress is how far the run has got, as its file tells now.
func (r *Reader) Progress() (*Progress, error) { return readProgress(r.dir) }

func readProgress(dir string) (*Progress, error) {
	text, err := os.ReadFile(filepath.Join(dir, ProgressFile))
	if err != nil {
		return nil, err
	}
	p := new(Progress)
	return p, json.Unmarshal(text, p)
}

// alive tells whether the process that writes the file is still there.
func (p *Progress) alive() bool {
	if p.Process <= 0 {
		return false
	}
	process, err := os.FindProcess(p.Process)
	return err == nil && process.Signal(syscall.Signal(0)) == nil
}

// EndProgress takes the file away: what there is of the run is whole.
func (f *Folder) EndProgress() error {
	err := os.Remove(filepath.Join(f.temp, ProgressFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// watchedFile lies beside what a run writes; those who look on touch it, each time that they do.
const watchedFile = "watched"

// watchedFor is for how long somebody who has looked on is taken to look again.
const watchedFor = 10 * time.Second

// Watch tells the run that somebody looks on while it is going on, for whom it then writes bins more often. It has no effect
// where the run has ended.
func (r *Reader) Watch() {
	if r.state == Running {
		_ = os.WriteFile(filepath.Join(filepath.Dir(r.dir), watchedFile), nil, 0o666) // else bins come later
	}
}

// Watched tells whether somebody looks on.
func (f *Folder) Watched() bool {
	info, err := os.Stat(filepath.Join(f.shelter, watchedFile))
	return err == nil && time.Since(info.ModTime()) < watchedFor
}
