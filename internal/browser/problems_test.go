package browser

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fabricast/record"
	"fabricast/report/data"
)

// TestBroken opens the report of a folder that is broken in several ways: the page says how, and
// shows the rest.
func TestBroken(t *testing.T) {
	dir, r := smallTorus(t, "bruck")
	cut := func(table string) {
		path := filepath.Join(dir, table)
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, text[:len(text)/2], 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cut(record.LinkBinsTable)
	cut(record.MessagesTable)
	if err := os.Remove(filepath.Join(dir, record.RanksTable)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, record.ResultFile)
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(
			path,
			bytes.Replace(text, []byte(`"version": "`), []byte(`"version": "0.0-other-`), 1),
			0o666,
		)
	}
	if err != nil {
		t.Fatal(err)
	}
	made, err := data.Make(dir)
	if err != nil {
		t.Fatal(err)
	}
	address, _ := write(t, made)
	ctx := browse(t)
	open(t, ctx, address)
	picture(t, ctx, "broken")
	said := evaluate[string](t, ctx, fmt.Sprintf(`document.querySelector('%s').innerText`, id("problems")))
	for _, want := range append(made.Manifest.Problems, record.LinkBinsTable, record.MessagesTable, record.RanksTable, "0.0-other-") {
		if !strings.Contains(said, want) {
			t.Errorf("the page does not say %q: %s", want, said)
		}
	}
	if got := number(t, ctx, id("predicted"), "data-ps"); got != float64(r.SimulatedTime) {
		t.Errorf("predicted %g ps, want %d", got, r.SimulatedTime)
	}
	if !evaluate[bool](
		t,
		ctx,
		fmt.Sprintf(`document.querySelector('%s').clientHeight > 100`, id("network-canvas")),
	) {
		t.Error("the network is not drawn")
	}
}
