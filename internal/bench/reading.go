package bench

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fabricast"
	"fabricast/internal/machine"
	"fabricast/trace"
	"fabricast/trace/dumpi"
	"fabricast/trace/otf2"
)

// readingCases returns traces of an all-to-all that are read without a replay.
func readingCases() []*Case {
	of := func(format string, write func(folder string, a allToAll) (trace.Source, error)) *Case {
		return &Case{
			Name:    format + "-reading",
			Title:   "a trace of an all-to-all of 512 nodes read, in the format " + strings.ToUpper(format),
			Workers: 1,
			Full:    Size{Experiment: spread(8, 8, 8), Repeat: 3},
			Short:   Size{Experiment: spread(8, 4, 4), Cut: "128 nodes", Repeat: 3},
			Trace:   write,
		}
	}
	return []*Case{of("otf2", writeOTF2), of("dumpi", writeDUMPI)}
}

// measureReading writes a trace of an all-to-all, and measures the time to read it.
func measureReading(c *Case, full bool) (*Measured, error) {
	folder, err := os.MkdirTemp("", "fabricast-bench-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	e := &c.at(full).Experiment
	source, err := c.Trace(folder, allToAll{e.Ranks, int64(e.Workload.Size)})
	if err != nil {
		return nil, err
	}
	begin, before := time.Now(), machine.Used()
	events, err := readAll(source)
	if err != nil {
		return nil, err
	}
	used := machine.Used()
	return &Measured{TraceEvents: events, Result: &fabricast.Result{Host: fabricast.Host{
		User: (used.User - before.User).Seconds(), Sys: (used.Sys - before.Sys).Seconds(),
		Wall:    time.Since(begin).Seconds(),
		PeakRSS: used.PeakRSS,
	}}}, nil
}

// readAll reads the records of all ranks, and returns the number of trace events from which they
// were made.
func readAll(source trace.Source) (events int64, err error) {
	var r trace.Record
	for rank := range source.Ranks() {
		stream, err := source.Open(rank)
		if err != nil {
			return 0, err
		}
		for err == nil {
			err = stream.Next(&r)
		}
		if err != io.EOF {
			return 0, err
		}
		events += stream.Events()
	}
	return events, nil
}

// others yields the partners of a rank, nearest first: the rank it receives from and the one it
// sends to.
func (a allToAll) others(rank int, do func(from, to int)) {
	for d := 1; d < a.ranks; d++ {
		do((rank+a.ranks-d)%a.ranks, (rank+d)%a.ranks)
	}
}

// writeOTF2 writes an OTF2 archive in the form in which Fabricast records it.
func writeOTF2(folder string, a allToAll) (trace.Source, error) {
	path := filepath.Join(folder, "trace.otf2")
	w, err := otf2.Create(path, folder, a.ranks, func(group int32) []int32 { return a.Groups()[group] })
	if err != nil {
		return nil, err
	}
	for rank := range a.ranks {
		if err := a.write(rank, w.Rank(rank)); err != nil {
			w.Abandon()
			return nil, err
		}
	}
	if err := w.Close(a.Groups(), 1); err != nil {
		return nil, err
	}
	return otf2.Open(path)
}

// write writes the records of a rank.
func (a allToAll) write(rank int, w *otf2.Rank) (err error) {
	var all []uint64
	start := func(m trace.Message) {
		m.Size, m.Request = a.size, uint64(len(all)+1)
		all = append(all, m.Request)
		if err == nil {
			err = w.Write(&trace.Record{Kind: trace.Start, Message: m})
		}
		if err == nil {
			err = w.Write(&trace.Record{Kind: trace.Compute, Duration: int64(fabricast.Microsecond)})
		}
	}
	a.others(rank, func(from, _ int) { start(trace.Message{Receive: true, Peer: int32(from)}) })
	a.others(rank, func(_, to int) { start(trace.Message{Peer: int32(to)}) })
	if err != nil {
		return err
	}
	return w.Write(&trace.Record{Kind: trace.Wait, Requests: all})
}

// Numbers of DUMPI functions and MPI handles; see package dumpi.
const (
	dumpiIsend   = 8
	dumpiIrecv   = 12
	dumpiWaitall = 18
	dumpiEnd     = 293
	dumpiWorld   = uint16(2)
	dumpiChar    = uint16(2)
)

// writeDUMPI writes files like those of SST's tracer, with the times of calls.
func writeDUMPI(folder string, a allToAll) (trace.Source, error) {
	for rank := range a.ranks {
		name := filepath.Join(folder, fmt.Sprintf("trace-%04d.bin", rank))
		if err := os.WriteFile(name, a.dumpi(rank), 0o666); err != nil {
			return nil, err
		}
	}
	meta := filepath.Join(folder, "trace.meta")
	text := fmt.Sprintf("hostname=h\nnumprocs=%d\nfileprefix=trace\nversion=1\n", a.ranks)
	if err := os.WriteFile(meta, []byte(text), 0o666); err != nil {
		return nil, err
	}
	return dumpi.Open(meta)
}

// dumpi returns the file of a rank: its calls at intervals of a microsecond, and around them the
// sections with the version and the number of calls of each function.
func (a allToAll) dumpi(rank int) []byte {
	const (
		magic, footMagic = "\xff\xaa\xddDUMPI", uint64(0xf007fee7)
		functions        = 291
		wallTimes        = uint8(1 << 3)
		perSecond        = 1_000_000
	)
	var b []byte
	put := func(values ...any) {
		for _, v := range values {
			b, _ = binary.Append(b, binary.BigEndian, v)
		}
	}
	var calls uint32
	var counts [functions]uint32
	call := func(function uint16, arguments ...any) {
		seconds, nanoseconds := uint16(calls/perSecond), calls%perSecond*1000
		calls++
		counts[function]++
		put(function, wallTimes, seconds, nanoseconds, seconds, nanoseconds)
		put(arguments...)
	}
	var all []int32
	start := func(function uint16, peer int) {
		all = append(all, int32(len(all)+1))
		call(function, int32(a.size), dumpiChar, int32(peer), int32(0), dumpiWorld, int32(len(all)))
	}
	put([]byte(magic), int32(0), int32(0)) // then the start of the clocks, in seconds
	a.others(rank, func(from, _ int) { start(dumpiIrecv, from) })
	a.others(rank, func(_, to int) { start(dumpiIsend, to) })
	call(dumpiWaitall, int32(len(all)), int32(len(all)), all)
	put(uint16(dumpiEnd))
	header := uint64(len(b))
	put([]byte{13, 0, 0})
	footer := uint64(len(b))
	put(footMagic, counts, [functions]uint32{}) // functions called, and functions ignored
	put([]byte(magic), [...]uint64{0, 0, 0, header, uint64(len(magic)), footer, 0})
	return b
}
