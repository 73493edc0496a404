package replay

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"fabricast/internal/cluster"
	"fabricast/node"
)

// If several processes share a run, each process records its own ranks. Close transfers the records
// of all processes to the first process.

// Across sets the group of processes that share the run. The first process writes the traces. The
// other processes store their records in the spool folder if it exists, otherwise in os.TempDir.
func (r *Recorder) Across(g cluster.Collective) { r.group = g }

// spoolIn returns the folder in which this process stores records during the run, see Across.
func (r *Recorder) spoolIn(folder string) string {
	if !cluster.First(r.group) {
		if _, err := os.Stat(folder); err != nil {
			return os.TempDir()
		}
	}
	return folder
}

// fits returns an error if several processes share the run and Across has not been called.
func (r *Recorder) fits(w *node.World) error {
	if w.Apart() && !cluster.Several(r.group) {
		return errors.New("found a Recorder of one process in a run of several, expected Recorder.Across")
	}
	return nil
}

// settle returns an error in all processes if err is not nil in any of them. All processes must
// call it.
func (r *Recorder) settle(err error) error {
	if !cluster.Several(r.group) {
		return err
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	for p, of := range cluster.GatherValues(r.group, text) {
		if err == nil && of != "" {
			err = fmt.Errorf("process %d of %d: %s", p, r.group.Size(), of)
		}
	}
	return err
}

// used lists the groups that a rank uses, as group indices of the run.
type used struct {
	Rank   int
	Groups []int32
}

// renumber assigns group indices of the trace to the groups, and returns the groups by these
// indices. Group indices of the run depend on the worker or process that creates a group. Those of
// the trace must not: they follow the order in which rank 0 uses the groups, then rank 1, and so
// on.
func (r *Recorder) renumber() ([][]int32, error) {
	order := []int32{0}
	numbers := map[int32]int32{0: 0}
	for _, of := range r.usedByAll() {
		for _, group := range of.Groups {
			if _, known := numbers[group]; !known {
				numbers[group] = int32(len(order))
				order = append(order, group)
			}
		}
	}
	groups := r.members(order)
	for i, group := range order {
		if int(group) != i {
			for _, into := range r.into {
				if err := into.renumber(func(group int32) int32 { return numbers[group] }); err != nil {
					return nil, err
				}
			}
			break
		}
	}
	return groups, nil
}

// usedByAll returns the groups that the ranks of all processes use, ordered by rank.
func (r *Recorder) usedByAll() []used {
	var own []used
	for rank, l := range r.logs {
		if l != nil && len(l.groups) > 0 {
			own = append(own, used{rank, l.groups})
		}
	}
	if !cluster.Several(r.group) {
		return own
	}
	all := slices.Concat(cluster.GatherValues(r.group, own)...)
	slices.SortFunc(all, func(a, b used) int { return a.Rank - b.Rank })
	return all
}

// members returns, in the first process, the world ranks of the given groups. If the first process
// runs no ranks, it receives them from the lowest process that runs ranks.
func (r *Recorder) members(groups []int32) [][]int32 {
	list := make([][]int32, len(groups))
	var world *node.World
	for _, l := range r.logs {
		if l != nil {
			world = l.world
		}
	}
	if world != nil {
		for i, group := range groups {
			list[i] = world.Members(int(group))
		}
	}
	if !cluster.Several(r.group) {
		return list
	}
	knows := slices.Index(cluster.GatherValues(r.group, world != nil), true)
	if knows <= 0 {
		return list
	}
	if r.group.Rank() != knows {
		list = nil
	}
	if all := cluster.GatherFirst(r.group, list); all != nil {
		return all[knows]
	}
	return nil
}

// carry transfers the records of all processes to the first process.
func (r *Recorder) carry() error {
	if !cluster.Several(r.group) {
		return nil
	}
	if r.group.Rank() == 0 && r.into == nil { // the first process runs no ranks
		r.open(func(int32) []int32 { return nil })
	}
	if err := r.settle(r.err); err != nil {
		return err
	}
	return cluster.Carry(r.group, r.give, r.take)
}

// give sends the records of the ranks of this process, for take.
func (r *Recorder) give(to io.Writer) error {
	out := gob.NewEncoder(to)
	for rank, l := range r.logs {
		if l == nil {
			continue
		}
		if err := out.Encode(1 + rank); err != nil {
			return err
		}
		for _, into := range r.into {
			if err := into.give(rank, out); err != nil {
				return err
			}
		}
	}
	return out.Encode(0)
}

// take receives the records that give has sent in another process.
func (r *Recorder) take(_ int, from *bufio.Reader) error {
	in := gob.NewDecoder(from)
	for {
		rank := 0
		if err := in.Decode(&rank); err != nil || rank == 0 {
			return err
		}
		for _, into := range r.into {
			if err := into.take(rank-1, in); err != nil {
				return err
			}
		}
	}
}
