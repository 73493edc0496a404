package fabricast

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"os"
	"strconv"

	"fabricast/engine"
	"fabricast/node"
	"fabricast/record"
)

// result collects what a finished simulation has counted.
func (s *simulation) result(e *Experiment) *Result {
	ranks, network := s.world.Stats(), s.network.Totals()
	r := &Result{
		Schema: Schema, Version: FullVersion(),
		Hash: hashText(ranks.Hash), SimulatedTime: Time(ranks.End), Seed: e.Seed,
		Ranks:    ranks.Ranks,
		Messages: ranks.Messages, Unreceived: ranks.Unmet, PayloadBytes: ranks.Bytes,
		Packets: int64(network.Packets), PacketHops: int64(network.Hops),
		Latency: latencyOf(&ranks.Latency),
		Workers: engine.Workers(len(s.blocks)), Balance: s.network.Balance(), Engine: EngineWindows, Windows: s.windows,
	}
	if s.interrupted != nil {
		r.State, r.SimulatedTime = string(record.Interrupted), s.interrupted.Time
	}
	if stray := ranks.Stray; stray != nil {
		r.FirstUnreceived = (*Unreceived)(stray)
	}
	r.RankEnd, r.SlowestRank = s.rankEnd()
	meter := s.linkMeter(r.SimulatedTime)
	r.Links, r.HostLinks = meter.usage()
	r.LinkClasses = meter.classes()
	return r
}

func latencyOf(h *node.Histogram) Latency {
	return Latency{Mean: Time(h.Mean()), P50: Time(h.Quantile(0.5)), P99: Time(h.Quantile(0.99)), Max: Time(h.Max())}
}

// rankEnd finds when the ranks ended, and the slowest of them.
func (s *simulation) rankEnd() (end RankEnd, slowest int) {
	var hi, lo, carry uint64
	for id := range s.world.Ranks() {
		at := s.world.Record(id).End
		lo, carry = bits.Add64(lo, uint64(at), 0)
		hi += carry
		if Time(at) > end.Max {
			end.Max, slowest = Time(at), id
		}
	}
	mean, _ := bits.Div64(hi, lo, uint64(max(s.world.Ranks(), 1)))
	end.Mean = Time(mean)
	return end, slowest
}

// openRecord begins the folder that was asked for, if any.
func openRecord(folder string) (*record.Folder, error) {
	if folder == "" {
		return nil, nil
	}
	f, err := record.Create(folder)
	if errors.Is(err, record.ErrOccupied) {
		return nil, &ConfigError{err}
	}
	return f, err
}

// about is what tables say of the run that they are from.
func (r *Result) about() map[string]string {
	return map[string]string{"schema": Schema, "version": r.Version, "result_hash": r.Hash, "seed": strconv.FormatUint(r.Seed, 10)}
}

// record fills the folder and puts it in its place; without one it does nothing.
func (s *simulation) record(f *record.Folder, e *Experiment, r *Result) error {
	if f == nil {
		return nil
	}
	about := r.about()
	return recordAll(
		func() error { return writeResult(f, r) },
		func() error { return e.recordExperiment(f) },
		func() error { return e.recordNetwork(f, s.linkMeter(r.SimulatedTime), about) },
		func() error { return record.WriteTable(f, record.RanksTable, s.rankRows(), about) },
		func() error {
			return record.WriteTable(f, record.LatencyTable, latencyRows(&s.world.Stats().Latencies), about)
		},
		func() error { return s.recorder.finish(s.network, r.SimulatedTime, about) },
		f.EndProgress,
		f.Commit,
	)
}

// recordNetwork writes what network there was and what each part of it carried.
func (e *Experiment) recordNetwork(f *record.Folder, m linkMeter, about map[string]string) error {
	where := networkMap{m.plan, e.Network.Topology.Kind, e.Network.Topology.File}
	return errors.Join(
		where.writeNetwork(f),
		record.WriteTable(f, record.LinksTable, m.rows(), about),
		record.WriteTable(f, record.RoutersTable, where.routerRows(m.port), about),
		record.WriteTable(f, record.NICsTable, m.nicRows(), about),
	)
}

// recordAll takes the steps of writing a result folder.
func recordAll(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("recording the result: %w", err)
		}
	}
	return nil
}

func writeResult(f *record.Folder, r *Result) error {
	text, err := r.JSON()
	if err != nil {
		return err
	}
	return errors.Join(f.Write(record.ResultFile, text), f.Write(record.VersionFile, []byte(r.Version+"\n")))
}

// recordExperiment writes the resolved experiment. Files of a mapping,
// an imbalance and a table of collectives are copied beside it, so that the folder is enough to repeat the run.
func (e *Experiment) recordExperiment(f *record.Folder) error {
	copied := *e
	for _, file := range []struct {
		path *string
		name string
	}{{&copied.Mapping.File, record.MappingFile}, {&copied.Imbalance.File, record.ImbalanceFile}, {&copied.Collectives.File, record.CollectivesFile}} {
		if *file.path == "" {
			continue
		}
		text, err := os.ReadFile(*file.path)
		if err = errors.Join(err, f.Write(file.name, text)); err != nil {
			return err
		}
		*file.path = file.name
	}
	text, err := copied.YAML()
	return errors.Join(err, f.Write(record.ExperimentFile, append(e.howToRepeat(), text...)))
}

func (s *simulation) rankRows() iter.Seq[record.Rank] {
	return func(yield func(record.Rank) bool) {
		for id := range s.world.Ranks() {
			if !yield(rankRow(s.world.Record(id))) {
				return
			}
		}
	}
}

func rankRow(r node.RankRecord) record.Rank {
	return record.Rank{
		Rank: int32(r.Rank), Host: int32(r.Host), End: r.End,
		Wait: r.Wait, Network: r.Network, Serialization: r.Serialization, NetworkWaits: r.NetworkWaits,
		Compute: r.Compute, Overhead: r.Overhead,
		MessagesSent: r.MessagesSent, MessagesReceived: r.MessagesReceived,
		BytesSent: r.BytesSent, BytesReceived: r.BytesReceived,
	}
}
