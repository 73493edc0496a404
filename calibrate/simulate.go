package calibrate

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/input"
	"fabricast/internal/panics"
	"fabricast/mpi"
)

// simulator simulates measurements with trial settings, and stores every time.
type simulator struct {
	base *fabricast.Document
	ctx  context.Context

	mu      sync.Mutex
	known   map[string]int64 // simulated times (ps) by description of the simulation
	file    *os.File         // new times are appended to it; nil: they are not stored
	runs    int              // number of simulations performed
	reused  int
	reports func(runs int)
}

// kept is a simulated time as stored in the progress file.
type kept struct {
	Of string `json:"of"`
	PS int64  `json:"ps"`
}

// newSimulator returns a simulator that reuses the times in a file, if it exists, and adds new
// ones. If path is empty, times are not stored.
func newSimulator(ctx context.Context, base *fabricast.Document, path string) (*simulator, error) {
	s := &simulator{base: base, ctx: ctx, known: map[string]int64{}, reports: func(int) {}}
	if path == "" {
		return s, nil
	}
	if _, err := os.Stat(path); err == nil {
		text, err := input.Text(path, input.Sweep)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(text) {
			var k kept
			if json.Unmarshal([]byte(line), &k) == nil && k.PS > 0 { // the last line may be incomplete
				s.known[k.Of] = k.PS
			}
		}
	}
	var err error
	s.file, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	return s, err
}

func (s *simulator) close() {
	if s.file != nil {
		s.file.Close()
	}
}

// times simulates all measurements with the given settings, on all cores, and returns their times
// (ps) in the order of the measurements.
func (s *simulator) times(sets []string, list []Measurement) ([]float64, error) {
	base := s.base
	for _, set := range sets {
		var err error
		if base, err = base.Set(set); err != nil {
			return nil, err
		}
	}
	result, errs := make([]float64, len(list)), make([]error, len(list))
	next := make(chan int)
	var workers sync.WaitGroup
	for range max(1, runtime.GOMAXPROCS(0)) {
		workers.Go(panics.Guarded("simulation of measurements", func() {
			for i := range next {
				result[i], errs[i] = s.time(base, &list[i])
			}
		}))
	}
	for i := range list {
		next <- i
	}
	close(next)
	workers.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", list[i].Position, list[i].String(), err)
		}
	}
	return result, nil
}

// time simulates a measurement with the settings of a document.
func (s *simulator) time(base *fabricast.Document, m *Measurement) (float64, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	e, divide, err := experimentOf(base, m)
	if err != nil {
		return 0, err
	}
	of, err := e.Fingerprint()
	if err != nil {
		return 0, err
	}
	of += " " + m.String()
	s.mu.Lock()
	ps, known := s.known[of]
	if known {
		s.reused++
	}
	s.mu.Unlock()
	if !known {
		r, err := e.Run(s.ctx, fabricast.Workers(1))
		if err != nil {
			return 0, err
		}
		ps = int64(r.SimulatedTime)
		if err := s.keep(of, ps); err != nil {
			return 0, err
		}
	}
	return float64(ps) / divide, nil
}

// keep stores a simulated time.
func (s *simulator) keep(of string, ps int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[of] = ps
	s.runs++
	s.reports(s.runs)
	if s.file == nil {
		return nil
	}
	line, err := json.Marshal(kept{of, ps})
	if err != nil {
		return err
	}
	w := bufio.NewWriter(s.file)
	w.Write(append(line, '\n'))
	return w.Flush()
}

// Size of a stream, as in the OSU bandwidth benchmark.
const (
	streamWindow = 64
	streamRounds = 2
)

// experimentOf returns the experiment that reproduces a measurement. The measured time corresponds
// to the simulated time divided by divide.
func experimentOf(
	base *fabricast.Document, m *Measurement,
) (e *fabricast.Experiment, divide float64, err error) {
	program := fmt.Sprintf("workload={program: %s, size: %dB}", m.Program, m.Size)
	divide = 1
	switch {
	case m.Program == "pingpong":
		divide = 2
	case m.Program == Stream:
		program = fmt.Sprintf("workload={program: pingpong, size: %dB}", m.Size)
		divide = streamWindow * streamRounds
	case m.Algorithm != "":
		program = fmt.Sprintf(
			"workload={program: %s, size: %dB, algorithm: %s}", m.Program, m.Size, m.Algorithm,
		)
	}
	sets := []string{program}
	if m.Ranks > 0 {
		sets = append(sets, fmt.Sprintf("ranks=%d", m.Ranks))
	}
	if m.Shape != nil {
		field := "network.topology.dims"
		if base.Field("network.machine") != nil {
			field = "network.shape"
		}
		sets = append(sets, field+"="+strings.ReplaceAll(fmt.Sprint(m.Shape), " ", ","))
	}
	for _, set := range sets {
		if base, err = base.Set(set); err != nil {
			return nil, 0, err
		}
	}
	if e, err = base.Experiment(); err == nil && m.Program == Stream {
		size := int(m.Size)
		e.Workload, e.TwoSided = experiment.Workload{}, true
		e.Program = func(rank *mpi.Rank) { stream(rank, size) }
	}
	return e, divide, err
}

// stream is the program Stream: it sends windows of messages from rank 0 to rank 1.
func stream(rank *mpi.Rank, size int) {
	requests := make([]mpi.Request, streamWindow)
	for range streamRounds {
		switch rank.Rank() {
		case 0:
			for i := range requests {
				requests[i] = rank.Isend(mpi.Size(size), 1, 0)
			}
			rank.WaitAll(requests)
			rank.Recv(mpi.Size(4), 1, 1)
		case 1:
			for i := range requests {
				requests[i] = rank.Irecv(mpi.Size(size), 0, 0)
			}
			rank.WaitAll(requests)
			rank.Send(mpi.Size(4), 0, 1)
		}
	}
}
