package atlas

import (
	"encoding/json"
	"errors"
)

// Processes are those that share the futures of a run: each simulates the run up to the failure, and its
// share of the futures.
type Processes interface {
	Rank() int
	Size() int
	// Gather returns the data that every process has passed, by process.
	Gather(data []byte) [][]byte
	// Settle returns err or, if that is nil, the error of another process that has one.
	Settle(err error) error
}

// settle makes all processes return an error if one of them has one.
func (o *Options) settle(err error) error {
	if o.Processes == nil {
		return err
	}
	return o.Processes.Settle(err)
}

// ours reports whether this process simulates the future of an element.
func (a *atlas) ours(i int) bool {
	p := a.options.Processes
	return p == nil || i%p.Size() == p.Rank()
}

// share is what a process has simulated, by element.
type share struct {
	Futures map[int]Future
	Errors  map[int]string
	Done    int
}

// exchange brings the futures of all processes to each of them. A process without an error of its own
// has the texts of others.
func (a *atlas) exchange() {
	p := a.options.Processes
	if p == nil {
		return
	}
	own := share{map[int]Future{}, map[int]string{}, a.done}
	for i := range a.futures {
		if a.futures[i].State != "" {
			own.Futures[i] = a.futures[i]
		}
		if a.errs[i] != nil {
			own.Errors[i] = a.errs[i].Error()
		}
	}
	text, err := json.Marshal(own)
	for rank, data := range p.Gather(text) {
		if rank == p.Rank() {
			continue
		}
		var other share
		err = errors.Join(err, json.Unmarshal(data, &other))
		for i, f := range other.Futures {
			a.futures[i] = f
		}
		for i, text := range other.Errors {
			a.errs[i] = errors.New(text)
		}
		a.done += other.Done
	}
	if err != nil {
		panic(err) // of values that JSON has
	}
}
