package record

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"fabricast/internal/input"
)

// ProgressFile is the file with the progress of a run. The run replaces it about twice a second.
const (
	ProgressFile   = "progress.json"
	ProgressSchema = "fabricast.progress/1"
)

// Progress is the content of progress.json: the progress of a run.
type Progress struct {
	Schema     string  `json:"schema"`
	State      State   `json:"state"`
	Time       int64   `json:"simulated_time_ps"`
	RanksEnded int     `json:"ranks_ended"`
	Ranks      int     `json:"ranks"` // 0: the experiment has no ranks
	Wall       float64 `json:"wall_s"`
	Left       float64 `json:"eta_s"` // estimated wall-clock time until the end; -1 if unknown
	Packets    int64   `json:"packets"`
	PacketHops int64   `json:"packet_hops"`
	Rate       float64 `json:"rate_packet_hops_per_s"` // recent rate
	Bins       int     `json:"bins"`                   // number of complete bins in parts
	Process    int     `json:"process"`
}

// WriteProgress replaces progress.json by p, with Schema and Process set.
func (f *Folder) WriteProgress(p Progress) error {
	p.Schema, p.Process = ProgressSchema, os.Getpid()
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return f.replace(ProgressFile, text)
}

// replace replaces the content of a file atomically: readers see either the old or the new content.
func (f *Folder) replace(name string, data []byte) error {
	temp := filepath.Join(f.shelter, name)
	if err := os.WriteFile(temp, data, 0o666); err != nil {
		return err
	}
	return os.Rename(temp, filepath.Join(f.temp, name))
}

// Progress returns the current content of progress.json.
func (r *Reader) Progress() (*Progress, error) { return readProgress(r.dir) }

func readProgress(dir string) (*Progress, error) {
	text, err := input.Bytes(filepath.Join(dir, ProgressFile), input.Progress)
	if err != nil {
		return nil, err
	}
	p := new(Progress)
	return p, json.Unmarshal(text, p)
}

// alive reports whether the process that wrote p still exists.
func (p *Progress) alive() bool {
	if p.Process <= 0 {
		return false
	}
	process, err := os.FindProcess(p.Process)
	return err == nil && process.Signal(syscall.Signal(0)) == nil
}

// EndProgress removes progress.json. It is called when the result is complete.
func (f *Folder) EndProgress() error {
	err := os.Remove(filepath.Join(f.temp, ProgressFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// watchedFile is a file next to the unfinished result. A report that follows the run touches it
// each time that it reads the result.
const watchedFile = "watched"

// watchedFor is the time after its last read for which a report counts as following the run.
const watchedFor = 10 * time.Second

// Watch notifies the run that a report follows it, so that the run writes bins more often. It has
// no effect after the run has ended.
func (r *Reader) Watch() {
	if r.state == Running {
		// on failure, the run writes bins less often
		_ = os.WriteFile(filepath.Join(filepath.Dir(r.dir), watchedFile), nil, 0o666)
	}
}

// Watched reports whether a report is following the run.
func (f *Folder) Watched() bool {
	info, err := os.Stat(filepath.Join(f.shelter, watchedFile))
	return err == nil && time.Since(info.ModTime()) < watchedFor
}
