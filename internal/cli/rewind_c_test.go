//go:build cgo && linux && (amd64 || arm64)

package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"fabricast"
	"fabricast/internal/units"
	"fabricast/record"
)

// TestRewindC checks that a look at a period of a C program records the same messages of that
// period as a run that records all messages.
func TestRewindC(t *testing.T) {
	program, dir := builtInC(t, "stopped"), t.TempDir()
	err := os.WriteFile(filepath.Join(dir, "e.yaml"), []byte("network: {topology: {dims: [4, 4]}}\n"), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	call := func(args ...string) {
		t.Helper()
		if o := outcomeOf(t, exec.Command("fabricast", args...), dir); o.code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, o.code, o.log)
		}
	}
	tail := []string{"-n", "16", "--", program, "60"}
	call(append([]string{"run", "e.yaml", "--out", "whole", "--record", "messages"}, tail...)...)
	call(append([]string{"run", "e.yaml", "--out", "kept", "--checkpoint", "sim:100us", "--keep", "6"}, tail...)...)
	text, err := os.ReadFile(filepath.Join(dir, "kept", record.ResultFile))
	if err != nil {
		t.Fatal(err)
	}
	var result fabricast.Result
	if err := json.Unmarshal(text, &result); err != nil {
		t.Fatal(err)
	}
	const period = 100 * units.Microsecond
	d := rand.New(rand.NewPCG(3, 12))
	for i := range 2 {
		from := units.Time(d.Int64N(int64(result.SimulatedTime - period)))
		look := fmt.Sprintf("look%d", i)
		call(
			"rewind", "kept", "--to", from.String(), "--for", "100us", "--record", "messages",
			"--out", look, "--workers", strconv.Itoa(1+d.IntN(3)),
		)
		delivered := func(folder string) (list []record.Message) {
			r, err := record.Open(filepath.Join(dir, folder))
			if err != nil {
				t.Fatal(err)
			}
			for m, err := range record.Rows[record.Message](r, record.MessagesTable) {
				if err != nil {
					t.Fatal(err)
				}
				if m.Delivery >= int64(from) && m.Delivery < int64(from+period) {
					list = append(list, m)
				}
			}
			return list
		}
		want, got := delivered("whole"), delivered(look)
		if len(want) == 0 || !sameMessages(got, want) {
			t.Errorf("from %v: %d messages, want the %d of the whole run", from, len(got), len(want))
		}
	}
}

// sameMessages reports whether two lists contain the same messages, in any order.
func sameMessages(a, b []record.Message) bool {
	text := func(list []record.Message) (lines []string) {
		for _, m := range list {
			lines = append(lines, fmt.Sprintf("%+v", m))
		}
		slices.Sort(lines)
		return lines
	}
	return slices.Equal(text(a), text(b))
}
