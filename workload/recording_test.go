package workload

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/internal/config"
)

// writeRecording writes a recording to a new file and returns its path.
func writeRecording(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "recording.txt")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// sampleRecording returns a recording with all kinds of records, in which rank 0 has a step with
// more actions than one iteration can have.
func sampleRecording(ranks int) string {
	var b strings.Builder
	b.WriteString("step,source,destination,bytes\n0,barrier\n")
	for rank := range ranks {
		fmt.Fprintf(&b, "1,compute,%d,%dns\n", rank, rank%7)
		fmt.Fprintf(&b, "1,%d,%d,%d\n", rank, (rank+1)%ranks, 10*rank)
	}
	for i := range 150 {
		fmt.Fprintf(&b, "5 %d 0 %d\n", i%ranks, i)
	}
	fmt.Fprintf(&b, "6,barrier\n7,0,%d,40\n", ranks-1)
	return b.String()
}

// parse parses a recording, which may be invalid.
func parse(text string, ranks int) (*recording, config.Problems) {
	return parseRecording(&config.Source{Name: "recording.txt", Text: text}, ranks)
}

// A replay sends the recorded messages, and no rank starts a step before its previous step has
// ended.
func TestReplayFollowsTheSteps(t *testing.T) {
	file := writeRecording(
		t, "0,compute,0,5ns\n0,0,1,50\n1,1,2,30\n2,barrier\n3 0 2 0\n3 0 2 7 # the same pair again",
	)
	w := mustRun(t, "recorded", Params{File: file, Barrier: "recursive-doubling"}, 3)
	s := w.Stats()
	// The barrier of three ranks adds 2 log2 2 + 2 messages of no bytes.
	if s.Messages != 4+4 || s.Bytes != 87 {
		t.Errorf("%d messages of %d bytes", s.Messages, int64(s.Bytes))
	}
	// A message takes 1 ns of software at each end and 100 ns in the network. Rank 0 starts after 5
	// ns.
	const message = 1000 + 100_000 + 1000
	sent := int64(5000 + message + 50) // rank 1 has received, and sends
	received := sent + message + 30    // rank 2 has received
	if got := int64(w.Record(2).End); got < received+message {
		t.Errorf("rank 2 ends at %d ps, which is before a barrier after %d", got, received)
	}
	if got := int64(w.Record(0).Compute); got != 5000 {
		t.Errorf("rank 0 computes for %d ps", got)
	}
}

// Spreadsheet programs write a byte order mark at the start of a file.
func TestByteOrderMarkIsPassedOver(t *testing.T) {
	w := mustRun(
		t,
		"recorded",
		Params{File: writeRecording(t, "\ufeffstep,source,destination,bytes\r\n0,0,1,50\r\n")},
		2,
	)
	if s := w.Stats(); s.Messages != 1 || s.Bytes != 50 {
		t.Errorf("%d messages of %d bytes", s.Messages, int64(s.Bytes))
	}
}

func TestReplayTakesItsTime(t *testing.T) {
	w := mustRun(
		t,
		"recorded",
		Params{File: writeRecording(t, "0,compute,0,5ns\n0,0,1,50\n1,1,2,30"), Iterations: 2},
		3,
	)
	// Rank 0 continues as soon as a send is complete, rank 1 after it has forwarded the message.
	const (
		software, way = 1000, 100_000
		twice         = 2 * (5000 + software)
		passed        = twice + way + 50 + software
	)
	if got := int64(w.Record(2).End); got != passed+software+way+30+software {
		t.Errorf("rank 2 ends at %d ps, want %d", got, passed+software+way+30+software)
	}
}

func TestRecordingsAreReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const ranks = 9
		rank := rapid.Int32Range(0, ranks-1)
		var want []record
		var text strings.Builder
		step := int64(0)
		for i := range rapid.IntRange(1, 20).Draw(t, "records") {
			r := record{
				kind: rapid.SampledFrom([]recordKind{recordSend, recordPut, recordCompute, recordBarrier}).
					Draw(t, "kind"),
			}
			apart := r.kind == recordBarrier || i > 0 && want[i-1].kind == recordBarrier
			if step += int64(rapid.IntRange(0, 2).Draw(t, "step")); apart {
				step++
			}
			r.step = step
			fields := []string{fmt.Sprint(r.step)}
			switch r.kind {
			case recordSend, recordPut:
				r.from, r.to, r.n = rank.Draw(t, "from"), rank.Draw(
					t, "to",
				), rapid.Int64Range(0, maxSize).
					Draw(t, "bytes")
				fields = append(fields, fmt.Sprint(r.from), fmt.Sprint(r.to), fmt.Sprint(r.n))
				if r.kind == recordPut {
					fields = append(fields, ByPut)
				} else if rapid.Bool().Draw(t, "named") {
					fields = append(fields, BySend)
				}
			case recordCompute:
				r.from, r.n = rank.Draw(t, "rank"), rapid.Int64Range(0, 1e15).Draw(t, "time")
				fields = append(fields, computeWord, fmt.Sprint(r.from), fmt.Sprint(r.n)+"ps")
			case recordBarrier:
				fields = append(fields, barrierWord)
			}
			want = append(want, r)
			between := rapid.SampledFrom([]string{",", ", ", " ", "\t ", " , "}).Draw(t, "between")
			end := rapid.SampledFrom([]string{"\n", "\r\n", " # why\n", "\n\n#\n"}).Draw(t, "end")
			text.WriteString(
				rapid.SampledFrom([]string{"", " "}).Draw(t, "indent") + strings.Join(fields, between) + end,
			)
		}
		got, problems := parse(text.String(), ranks)
		if len(problems) > 0 || !slices.Equal(got.records, want) {
			t.Fatalf("%s\n%+v\n%+v\n%v", text.String(), got.records, want, problems)
		}
	})
}

func TestMistakesInRecordingsHaveTheirPlace(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if _, problems := parse(text, 4); len(problems) == 0 || !strings.Contains(problems.Error(), want) {
			t.Errorf("%q: %v, want %q", text, problems, want)
		}
	}
	f("", "recording.txt:1:1: record: found none, expected at least one")
	f("# nothing\nstep,source,destination,bytes\n", "record: found none")
	f("0,0,1", "recording.txt:1:1: record: found 0,0,1, expected a step, two ranks and a size")
	f("0 0 1 5\n\n  x 0 1 5", "recording.txt:3:3: step: found x, expected a whole number from 0 to")
	f("0, 4, 1, 5", "recording.txt:1:4: source: found 4, expected a whole number from 0 to 3")
	f("0,0,,5", "recording.txt:1:5: destination: found nothing, expected a whole number from 0 to 3")
	f("0,0,1,-5", "recording.txt:1:7: bytes: found -5")
	f("0,0,1,5,got", "recording.txt:1:9: kind: found got, expected one of send or put")
	f("0,barrier,1", "record: found 0,barrier,1")
	f("0,compute,1", "record: found 0,compute,1")
	f("0,compute,9,1ns", "recording.txt:1:11: rank: found 9")
	f("0,compute,1,1", "recording.txt:1:13: time: found 1, expected a time such as 250us")
	f(
		"1,0,1,5\n0,0,1,5",
		"recording.txt:2:1: step: found 0, expected 1 or more, since that was the step before",
	)
	f("1,0,1,5\n1,barrier", "recording.txt:2:1: step: found 1, expected a barrier in a step of its own")
	f("0,0,1,5\nstep,source,destination,bytes", "recording.txt:2:1: step: found step")
	f(strings.Repeat("x\n", 50), "recording.txt:10:1")
	if _, problems := parse(strings.Repeat("x\n", 50), 4); len(problems) != config.MostProblems {
		t.Errorf("%d problems", len(problems))
	} else if !strings.Contains(problems.Error(), "(and 40 more mistakes)") {
		t.Errorf("%v, want that it tells how many are left out", problems)
	}
}

func TestUnreadableRecording(t *testing.T) {
	_, err := Build("recorded", Params{File: "absent.txt"}, 4)
	if err == nil ||
		!strings.Contains(
			err.Error(),
			"file: found absent.txt (no such file or directory), expected a readable file",
		) {
		t.Error(err)
	}
}

// FuzzRecording checks that any text is either parsed or rejected with a position in the text.
func FuzzRecording(f *testing.F) {
	f.Add(sampleRecording(5))
	f.Add("0, compute ,3,250us\r\n1 barrier#\n2\t0\t1\t7,send")
	f.Add(",,,\n, ,\n#\n\x00\xff 1 2 3")
	f.Fuzz(func(t *testing.T, text string) {
		r, problems := parse(text, 5)
		for _, p := range problems {
			if p.Position.Line < 1 || p.Position.Column < 1 || p.Expected == "" {
				t.Fatalf("%+v", p)
			}
			_ = p.String()
		}
		if len(problems) == 0 {
			newReplayPlan(r, "")
		}
	})
}
