package ways

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"testing"

	"fabricast"
	"fabricast/internal/cluster"
	"fabricast/internal/draws"
	"fabricast/internal/producttest"
	"fabricast/internal/run"
	"fabricast/internal/why"
	"fabricast/record"
)

// mostExplained is how many experiments long tests explain at least. Those with more than mostEvents are left out, and
// processes share those with up to mostShared: where little happens at a time, each event takes an exchange between them.
// A few would take most of the time.
const (
	mostExplained = 3000
	mostEvents    = 1_000_000
	mostShared    = 50_000
)

// TestEveryPicosecond draws experiments of every kind, and checks that what they record explains each of
// their picoseconds: messages, ranks, waits and the critical path. Each commit takes one half of the kinds.
func TestEveryPicosecond(t *testing.T) {
	var experiments atomic.Int64
	each := func(t *testing.T, d *rand.Rand, x *drawn) {
		if x.explains(t, d) {
			experiments.Add(1)
		}
	}
	for pass := 0; pass == 0 || draws.Long() && experiments.Load() < mostExplained && !t.Failed(); pass++ {
		t.Run(fmt.Sprint("pass ", pass), func(t *testing.T) {
			if draws.Long() || draws.Round()%2 == 0 {
				eachDrawn(t, each)
			}
			if draws.Long() || draws.Round()%2 == 1 {
				eachWritten(t, each)
			}
		})
	}
	t.Logf("%d experiments", experiments.Load())
}

// explains runs an experiment with causes, by several workers or processes, and checks what they explain. It
// returns false if causes of it cannot be recorded.
func (x *drawn) explains(t *testing.T, d *rand.Rand) bool {
	t.Helper()
	if x.result.Events > mostEvents {
		return false
	}
	e, err := x.parse("")
	if err != nil {
		t.Fatal(err)
	}
	processes, workers := 1, 1+d.IntN(3)
	short := e.Network.Ethernet() && shortLinks.MatchString(x.text)
	if x.packets() && !short && x.result.Events <= mostShared && d.IntN(3) == 0 {
		processes = 2 + d.IntN(2)
	}
	if short {
		workers = 1 // windows of several are as short as the links
	}
	folder, kind := filepath.Join(t.TempDir(), "run"), producttest.One(d, "causes", "causes=full")
	if e.Faults.Given() && !e.Network.Ethernet() {
		kind = "causes" // not all waits have holders there (docs/why.md)
	}
	result, err := x.recorded(folder, kind, processes, workers)
	if err != nil && processes > 1 && producttest.NeedsOneProcess(err) {
		result, err = x.recorded(folder, kind, 1, workers)
	}
	if e.Network.InNetwork.Given() && producttest.Refused(err) {
		return false // no causes are recorded there (docs/collectives.md)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, x.text)
		return false
	}
	if result.Hash != x.result.Hash || result.SimulatedTime != x.result.SimulatedTime {
		t.Errorf("causes changed the prediction\n%s", x.text)
	}
	if err := producttest.Explained(e, result, folder); err != nil {
		t.Errorf("%v\n%s", err, x.text)
	}
	return true
}

// recorded runs an experiment in n processes, and records messages and causes in a folder.
func (x *drawn) recorded(folder, causes string, n, workers int) (first *fabricast.Result, err error) {
	err = producttest.InProcesses(n, func(p int, group cluster.Group) error {
		e, err := x.parse("")
		if err != nil {
			return err
		}
		e.Record.Set(causes)
		e.Record.Set("messages")
		options := []fabricast.Option{fabricast.Workers(workers), fabricast.Record(folder)}
		if n > 1 {
			options = append(options, run.Across(group))
		}
		r, err := e.Run(context.Background(), options...)
		if p == 0 {
			first = r
		}
		return err
	})
	return first, err
}

// TestNoPathOfTraffic: what has no ranks has no critical path.
func TestNoPathOfTraffic(t *testing.T) {
	e, err := fabricast.Parse("traffic.yaml",
		"network: {topology: {dims: [4]}}\ntraffic: {load: 20%, size: 300B, measure: {longest: 2us}}\nrecord: {causes: path}\n")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "run")
	producttest.Run(t, e, fabricast.Record(folder))
	r, err := record.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := why.Find(r); !errors.Is(err, why.ErrNoRanks) {
		t.Errorf("%v", err)
	}
}
