package calibrate

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"fabricast/internal/config"
)

// TestFormats reads an example of every format.
func TestFormats(t *testing.T) {
	read := func(name string, want ...string) {
		t.Helper()
		list, err := Read(filepath.Join("testdata", name), "", Defaults{Ranks: 8})
		if err != nil {
			t.Error(err)
			return
		}
		var got []string
		for _, m := range list {
			got = append(got, fmt.Sprintf("%s: %.0f ps, line %d", m.String(), m.Time, m.Position.Line))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%q, expected\n%q", name, got, want)
		}
	}
	read(
		"osu.txt",
		"pingpong 8 B on 2 ranks: 1160000 ps, line 5",
		"pingpong 1024 B on 2 ranks: 1620000 ps, line 6",
		"stream 4096 B on 2 ranks: 1024000 ps, line 9",
		"allreduce 4 B on 8 ranks: 5250000 ps, line 12",
	)
	read("imb.txt", "pingpong 4 B on 2 ranks: 1250000 ps, line 10",
		"reduce-scatter 256 B on 4 ranks: 3400000 ps, line 17")
	read("nccl.txt", "allgather 512 B on 2 ranks: 12340000 ps, line 11")
	read("own.csv", "broadcast binomial 8192 B on 8 ranks of 2x2x2: 12500000 ps, line 3",
		"pingpong 4 B on 2 ranks: 900000 ps, line 4")
	list, _ := Read("testdata/own.csv", "csv", Defaults{})
	if math.Abs(list[0].Spread-0.0312) > 0.0001 || list[1].Spread != 0 {
		t.Errorf("spreads %g and %g", list[0].Spread, list[1].Spread)
	}
}

// TestMistakes demands file, line and column of what is wrong.
func TestMistakes(t *testing.T) {
	try := func(text, want string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "m.txt")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Read(path, "", Defaults{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %s", text, err, want)
		}
	}
	try("", "m.txt:1:1: found no measurements")
	try("program,size\n", "m.txt:1:1: found no column time")
	try("program,size,tme\n", "m.txt:1:14: found tme, expected the names of columns")
	try("program,size,tme\npingpong,8B,1us\n", "(did you mean time?)")
	try("program;size;time\npingpong;8B;1us\n", "m.txt:1:1: found program;size;time, expected the names of columns, separated by commas")
	try("program,size,time,low,high\npingpong,8B,1us,2us,1.5us\n", "m.txt:2:17: found 2us, expected a time of at most high, 1.5us")
	try("program,size,time\npingpong,8B,1us\npingpong,8,1us\n", "m.txt:3:10: found 8, expected a size")
	try("program,size,time\npingpong,8B,fast\n", "m.txt:2:13: found fast, expected a time")
	try("program,size,time\npong,8B,1us\n", "m.txt:2:1: found pong, expected a program")
	try("program,size,time,shape\npingpong,8B,1us,2xx\n", "m.txt:2:17: found 2xx")
	try("program,size,time\npingpong,8B\n", "m.txt:2:1: found 2 values, expected 3")
	try("# OSU MPI Latency Test v7\n8 x\n", "m.txt:2:3: found x, expected a time in us")
	try("# OSU MPI Latency Test v7\n8\n", "m.txt:2:2: found the end of the line")
	try("# OSU MPI Multi-Pair Test\n8 1\n", "m.txt:1:1: found # OSU MPI Multi-Pair Test")
	try("# Benchmarking PingPong\n8 10 1.0\n", "m.txt:2:1: found numbers, expected a line before them")
	try(
		"#  size count type redop root time algbw busbw\n8 2 float sum -1 3.0\n",
		"m.txt:2:1: found numbers of an unknown",
	)
}

// TestOneMistakeInTheHeader demands one message where columns are unknown, none for each line.
func TestOneMistakeInTheHeader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.csv")
	if err := os.WriteFile(path, []byte("program,size,tme\npingpong,8B,1us\npong,8B,1us\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Read(path, "", Defaults{})
	var problems config.Problems
	if !errors.As(err, &problems) || len(problems) != 1 {
		t.Errorf("found %v, expected one problem", err)
	}
}

// TestByteOrderMark demands that a file as spreadsheets write it is read.
func TestByteOrderMark(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.csv")
	if err := os.WriteFile(path, []byte("\ufeffprogram,size,time\r\npingpong,8B,1us\r\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if list, err := Read(path, "", Defaults{}); err != nil || len(list) != 1 {
		t.Errorf("found %v and %v, expected one measurement", list, err)
	}
}

// FuzzRead demands that no text is answered by a panic.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"osu.txt", "imb.txt", "nccl.txt", "own.csv"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "m.txt")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		list, err := Read(path, "", Defaults{})
		if err == nil && len(list) == 0 {
			t.Error("neither measurements nor an error")
		}
		if err != nil {
			_ = err.Error()
		}
	})
}
