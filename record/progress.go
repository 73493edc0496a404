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

// ProgressFile holds the progress of a run. It is replaced about twice a second.
const (
	ProgressFile   = "progress.json"
	ProgressSchema = "fabricast.progress/1"
)

// Progress is the content of progress.json: how far a run has got.
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
	Rate       float64 `json:"rate_packet_hops_per_s"` // recently
	Bins       int     `json:"bins"`                   // number of complete bins in parts
	Process    int     `json:"process"`
}

// WriteProgress replaces progress.json. It sets Schema and Process.
func (f *Folder) WriteProgress(p Progress) error {
	p.Schema, p.Process = ProgressSchema, os.Getpid()
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return f.replace(ProgressFile, text)
}

// replace writes a file such that readers see either its old or its new content, never a part.
func (f *Folder) replace(name string, data []byte) error {
	temp := filepath.Join(f.shelter, name)
	if err := os.WriteFile(temp, data, 0o666); err != nil {
		return err
	}
	return os.Rename(temp, filepath.Join(f.temp, name))
}

// Progress returns the present content of progress.json.
func (r *Reader) Progress() (*Progress, error) { return readProgress(r.dir) }

func readProgress(dir string) (*Progress, error) {
	text, err := input.Bytes(filepath.Join(dir, ProgressFile), input.Progress)
	if err != nil {
		return nil, err
	}
	p := new(Progress)
	return p, json.Unmarshal(text, p)
}

// alive reports whether the process that writes the file still exists.
func (p *Progress) alive() bool {
	if p.Process <= 0 {
		return false
	}
	process, err := os.FindProcess(p.Process)
	return err == nil && process.Signal(syscall.Signal(0)) == nil
}

// EndProgress removes progress.json, because the result is complete.
func (f *Folder) EndProgress() error {
	err := os.Remove(filepath.Join(f.temp, ProgressFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// watchedFile is a file beside the unfinished result. A report that follows the run touches it each
// time it reads.
const watchedFile = "watched"

// watchedFor is how long after its last read a report counts as following the run.
const watchedFor = 10 * time.Second

// Watch lets the run know that a report is following it, so that it writes bins more often. It does
// nothing after the run has ended.
func (r *Reader) Watch() {
	if r.state == Running {
		// else bins come later
		_ = os.WriteFile(filepath.Join(filepath.Dir(r.dir), watchedFile), nil, 0o666)
	}
}

// Watched reports whether a report is following the run.
func (f *Folder) Watched() bool {
	info, err := os.Stat(filepath.Join(f.shelter, watchedFile))
	return err == nil && time.Since(info.ModTime()) < watchedFor
}
