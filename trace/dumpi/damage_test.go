package dumpi

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"fabricast/trace"
)

const sample = "../testdata/dumpi/p2p-4"

// TestSample reads a trace from the tests of DUMPI, opened by its folder, its metadata file or the
// file of a rank. The computation must agree with the times that DUMPI's own tool prints.
func TestSample(t *testing.T) {
	for _, path := range []string{sample, sample + "/testtrace.meta", sample + "/testtrace-0002.bin"} {
		s, err := Open(path)
		if err != nil || s.Ranks() != 4 {
			t.Fatalf("%s: %v", path, err)
		}
		list, _, err := read(s, 0)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range list {
			switch r.Kind {
			case trace.Compute:
				got = append(got, fmt.Sprint(r.Duration/1_000_000))
			case trace.Collective:
				got = append(got, fmt.Sprint(r.Call.Kind, r.Call.Size))
			case trace.Wait:
				got = append(got, fmt.Sprint("wait", r.Requests))
			default:
				got = append(
					got,
					fmt.Sprint(r.Message.Receive, r.Message.Peer, r.Message.Tag, r.Message.Size),
				)
			}
		}
		const want = "24 6 7 barrier 0 15 false 1 1337 4 10 true 3 1337 4 8 wait[2] 15 allreduce 4 7"
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", path, strings.Join(got, " "), want)
		}
	}
}

// TestTruncated truncates a file at every byte. The calls before the end must be read, and the
// truncation must be reported.
func TestTruncated(t *testing.T) {
	whole, err := os.ReadFile(sample + "/testtrace-0000.bin")
	if err != nil {
		t.Fatal(err)
	}
	before := -1
	name := filepath.Join(t.TempDir(), "app-0000.bin")
	for size := len(magic) + 1; size < len(whole); size++ {
		if size > 500 && size < len(whole)-100 {
			continue
		}
		if err := os.WriteFile(name, whole[:size], 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Open(name)
		var list []trace.Record
		if err == nil {
			list, _, err = read(&source{files: []string{name, name, name, name}, comms: withRanks(4)}, 0)
		}
		var damage *trace.Error
		if !errors.As(err, &damage) || damage.File != name {
			t.Fatalf("%d bytes: error %v", size, err)
		}
		if len(list) < before {
			t.Fatalf("%d bytes: %d records, %d of a file that is shorter", size, len(list), before)
		}
		before = len(list)
	}
	if before != 13 {
		t.Errorf("%d records, want all 13", before)
	}
}

// withRanks returns the communicators of n ranks that create none.
func withRanks(n int) communicators {
	return communicators{groups: [][]int32{nil}, created: make([][]int32, n)}
}

// TestFiles checks the error messages for missing or invalid files.
func TestFiles(t *testing.T) {
	w := &writer{}
	dir := t.TempDir()
	meta := write(t, dir, w.bytes(), w.bytes(), w.bytes())
	if err := os.Remove(filepath.Join(dir, "app-0001.bin")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{meta, dir, filepath.Join(dir, "app-0002.bin")} {
		if _, err := Open(path); err == nil ||
			!strings.Contains(err.Error(), "none of rank 1, expected app-0001.bin") {
			t.Errorf("%s: error %v", path, err)
		}
	}
	for text, want := range map[string]string{
		"numprocs=x\nfileprefix=a\n": `numprocs: found "x"`, "numprocs=0\nfileprefix=a\n": `numprocs: found "0"`,
		"numprocs=2\nfileprefix=a\n": "none of rank 0, expected a-0000.bin",
	} {
		name := filepath.Join(t.TempDir(), "m.meta")
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestHeld checks that many records can wait for the source of a receive, but that their number is
// limited.
func TestHeld(t *testing.T) {
	w := &writer{}
	w.call(irecv, 0, 0, int32(1), aInt, int32(-1), int32(0), world, int32(2))
	for range 2 * mostHeld {
		w.call(52, 0, 0, world)
	}
	w.call(wait, 0, 0, int32(2), []status32{{source: 0}})
	s, err := Open(write(t, t.TempDir(), w.bytes()))
	if err != nil {
		t.Fatal(err)
	}
	list, faults, err := read(s, 0)
	if err != nil || len(list) != 2*mostHeld+2 || list[0].Message.Peer != trace.Any ||
		faults.Unfinished != 0 {
		t.Errorf("%d records, first %+v, %+v, %v", len(list), list[0], faults, err)
	}
}

// many returns the file of a rank with the given number of calls: alternately MPI_Send, MPI_Irecv
// and MPI_Wait.
func many(calls int) []byte {
	w := &writer{}
	for range calls / 3 {
		w.call(send, 5, 5, int32(100), aInt, int32(0), int32(1), world)
		w.call(irecv, 5, 5, int32(100), aInt, int32(0), int32(1), world, int32(7))
		w.call(wait, 5, 5, int32(7), []status32{{source: 0, tag: 1}})
	}
	return w.bytes()
}

// TestMemory checks that the memory allocated to read a trace does not depend on its length.
func TestMemory(t *testing.T) {
	allocated := func(calls int) uint64 {
		s, err := Open(write(t, t.TempDir(), many(calls)))
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := drain(s); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	// Opening the file for each piece allocates several hundred bytes.
	if few, lots := allocated(30_000), allocated(300_000); lots > few+1<<20 {
		t.Errorf("%d bytes for 300,000 calls, %d for 30,000", lots, few)
	}
}

// drain reads all records of rank 0.
func drain(s trace.Source) error {
	stream, err := s.Open(0)
	if err != nil {
		return err
	}
	var r trace.Record
	for err == nil {
		err = stream.Next(&r)
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// BenchmarkRead reports the number of calls read per second.
func BenchmarkRead(b *testing.B) {
	const calls = 300_000
	s, err := Open(write(b, b.TempDir(), many(calls)))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := drain(s); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(calls)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// FuzzFile reads arbitrary bytes as the file of a rank.
func FuzzFile(f *testing.F) {
	whole, err := os.ReadFile(sample + "/testtrace-0000.bin")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:377])
	w := &writer{}
	w.call(cartCreate, 0, 0, world, int32(2), []int32{1, 1}, []int32{1, 1}, int32(0), uint16(4))
	w.call(cartSub, 0, 0, int32(2), uint16(4), []int32{0, 1}, uint16(5))
	w.call(commSplit, 0, 0, uint16(5), int32(0), int32(0), uint16(6))
	w.call(66, 0, 0, int32(1), []int32{3}, aInt, uint8(1), uint16(6))
	f.Add(w.bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		name := filepath.Join(t.TempDir(), "app-0000.bin")
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := Open(name)
		if err == nil {
			err = drain(s)
		}
		var wrong *trace.Error
		if err != nil && !errors.As(err, &wrong) {
			t.Fatalf("%T: %v", err, err)
		}
	})
}
