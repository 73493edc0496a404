package ways

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"fabricast"
	"fabricast/internal/causes"
	"fabricast/internal/producttest"
	"fabricast/internal/why"
	"fabricast/record"
)

// TestCriticalPaths draws experiments of every kind, and checks that their critical paths explain every
// picosecond.
func TestCriticalPaths(t *testing.T) {
	var experiments atomic.Int64
	t.Cleanup(func() { t.Logf("%d experiments", experiments.Load()) })
	eachDrawn(t, func(t *testing.T, d *rand.Rand, x *drawn) {
		if x.result.Ranks == 0 {
			return
		}
		e, err := x.parse("")
		if err != nil {
			t.Fatal(err)
		}
		e.Record.Set("causes")
		e.Record.Set("messages")
		folder := filepath.Join(t.TempDir(), "run")
		result, err := e.Run(context.Background(), fabricast.Workers(1+d.IntN(3)), fabricast.Record(folder))
		if (e.Network.Ethernet() || e.Network.InNetwork.Given()) && producttest.Refused(err) {
			return // no causes are recorded there (docs/congestion.md, docs/collectives.md)
		}
		if err != nil {
			t.Fatal(err)
		}
		if result.Hash != x.result.Hash || result.SimulatedTime != x.result.SimulatedTime {
			t.Errorf("causes changed the prediction\n%s", x.text)
		}
		experiments.Add(1)
		if err := checkPath(result, folder, strings.Contains(x.text, "loggops")); err != nil {
			t.Errorf("%v\n%s", err, x.text)
		}
	})
}

// checkPath checks the critical path of a run, and the log that it comes from. turns: messages take turns
// on processors, so the path may meet a message later than it arrives.
func checkPath(result *fabricast.Result, folder string, turns bool) error {
	r, err := record.Open(folder)
	if err != nil {
		return err
	}
	p, err := why.Find(r)
	if err != nil {
		return err
	}
	if p.Sum != p.Predicted || p.Predicted != int64(result.SimulatedTime) {
		return fmt.Errorf("the path takes %d ps, the run %d ps", p.Sum, result.SimulatedTime)
	}
	if err := checkSteps(r); err != nil {
		return err
	}
	delivered := map[int64][]record.Message{}
	for m, err := range record.Rows[record.Message](r, record.MessagesTable) {
		if err != nil {
			return err
		}
		delivered[m.Message] = append(delivered[m.Message], m)
	}
	at := int64(0)
	for _, s := range p.Segments {
		if s.Begin != at || s.End <= at || s.Cause == why.Unknown {
			return fmt.Errorf("a segment with cause %s of rank %d from %d to %d ps, after one that ends at %d ps",
				s.Cause, s.Rank, s.Begin, s.End, at)
		}
		at = s.End
		if err := checkParts(r, &s); err != nil {
			return err
		}
		if s.Cause != why.Network {
			continue
		}
		if !arrives(delivered[s.Message.Number], &s, turns) {
			return fmt.Errorf("no message %+v arrives at %d ps", *s.Message, s.End)
		}
	}
	return nil
}

// checkParts checks that what messages do in the network is divided.
func checkParts(r *record.Reader, s *why.Segment) error {
	if s.Message == nil || s.Message.Number == 0 || !r.Has(record.CausesTable) {
		return nil
	}
	switch s.Cause {
	case why.Network, why.Request, why.Data, why.OneSided, why.NICRead:
	default:
		return nil
	}
	if s.Parts == nil {
		return fmt.Errorf("a segment with cause %s is not divided: message %+v", s.Cause, *s.Message)
	}
	parts := causes.Parts(*s.Parts)
	if parts.Sum() != s.Time || slices.Min(parts[:]) < 0 {
		return fmt.Errorf("a segment of %d ps with cause %s is divided into %v", s.Time, s.Cause, parts)
	}
	return nil
}

// arrives reports whether one of the messages ends a segment.
func arrives(messages []record.Message, s *why.Segment, turns bool) bool {
	for i := range messages {
		m := &messages[i]
		if m.Source == s.Message.Source && m.Destination == s.Message.Destination &&
			(m.Delivery == s.End || turns || m.Delivery < s.End) {
			return true
		}
	}
	return false
}

// checkSteps checks that the steps of each rank follow one another, and sum to what the rank counts.
func checkSteps(r *record.Reader) error {
	ends, waits, others := map[int32]int64{}, map[int32]int64{}, map[int32]int64{}
	for s, err := range record.Rows[record.Step](r, record.StepsTable) {
		if err != nil {
			return err
		}
		if before, known := ends[s.Rank]; known && s.Begin != before || s.End <= s.Begin {
			return fmt.Errorf("rank %d: a step from %d to %d ps after %d ps", s.Rank, s.Begin, s.End, before)
		}
		ends[s.Rank] = s.End
		if s.State == record.StateWait || s.State == record.StateReceiveWait {
			waits[s.Rank] += s.End - s.Begin
		} else {
			others[s.Rank] += s.End - s.Begin
		}
	}
	for rank, err := range record.Rows[record.Rank](r, record.RanksTable) {
		if err != nil {
			return err
		}
		if end, known := ends[rank.Rank]; known && end != rank.End {
			return fmt.Errorf("rank %d ends at %d ps, its steps at %d ps", rank.Rank, rank.End, end)
		}
		if waits[rank.Rank] != rank.Wait || others[rank.Rank] > rank.Compute+rank.Overhead {
			return fmt.Errorf("rank %d waits %d ps, in its steps %d ps", rank.Rank, rank.Wait, waits[rank.Rank])
		}
	}
	return nil
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
