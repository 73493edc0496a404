package whatif

import (
	"cmp"
	"fmt"
	"slices"

	"fabricast/experiment"
	"fabricast/record"
)

// Flow are the messages from one host to another.
type Flow struct{ Source, Destination int32 }

// hinderingFlows lists the flows whose messages hold most of what messages of other flows wait for, with
// the experiment as it is. The folder must be that of a run with causes=full; otherwise it lists none. No flow can be
// put out of the way in a network that drops or pauses packets.
func hinderingFlows(e *experiment.Experiment, folder *record.Reader) (list []Alternative, err error) {
	if !folder.Has(record.BlameTable) || e.Network.Ethernet() {
		return nil, nil
	}
	held := map[Flow]int64{}
	for row, err := range record.Rows[record.Blame](folder, record.BlameTable) {
		if err != nil {
			return nil, err
		}
		by := Flow{row.HolderSource, row.HolderDestination}
		if row.Matrix == record.BlameFlow && by != (Flow{row.Source, row.Destination}) {
			held[by] += row.Wait
		}
	}
	flows := make([]Flow, 0, len(held))
	for by := range held {
		flows = append(flows, by)
	}
	slices.SortFunc(flows, func(a, b Flow) int {
		return cmp.Or(cmp.Compare(held[b], held[a]), cmp.Compare(a.Source, b.Source),
			cmp.Compare(a.Destination, b.Destination))
	})
	names, err := namesOfHosts(folder)
	if err != nil {
		return nil, err
	}
	for _, by := range flows[:min(len(flows), mostFlows)] {
		change := fmt.Sprintf("%s to %s out of the way", names(by.Source), names(by.Destination))
		list = append(list, Alternative{Change: change, Experiment: *e, Relieved: &by})
	}
	return list, nil
}

// namesOfHosts returns a function that names a host: by its rank, if it has one and no other.
func namesOfHosts(folder *record.Reader) (func(host int32) string, error) {
	ranks := map[int32][]int32{}
	for row, err := range record.Rows[record.Rank](folder, record.RanksTable) {
		if err != nil {
			return nil, err
		}
		ranks[row.Host] = append(ranks[row.Host], row.Rank)
	}
	return func(host int32) string {
		if of := ranks[host]; len(of) == 1 {
			return fmt.Sprintf("rank %d", of[0])
		}
		return fmt.Sprintf("host %d", host)
	}, nil
}
