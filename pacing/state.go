package pacing

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"fabricast/internal/snapshot"
)

// print identifies a pattern in other processes: the hash of its hosts and the collective.
type print [sha256.Size]byte

// printOf returns the print of a pattern.
func (p *Pacer) printOf(key pattern) print {
	h := sha256.New()
	for hosts, number := range p.groups {
		if number == key.group {
			_, _ = h.Write(hosts[:])
		}
	}
	_, _ = fmt.Fprintf(h, "%+v", key.Start)
	return print(h.Sum(nil))
}

// State goes over what the Pacer tells of the calls so far. Schedules are not saved: they are
// computed again when they are used. No rank may be running.
func (p *Pacer) State(v *snapshot.Visitor) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	var told []byte
	var counted []print
	if !v.Restores() {
		told, _ = json.Marshal(p.told)
		for c := range p.counted {
			counted = append(counted, c)
		}
		slices.SortFunc(counted, func(a, b print) int { return slices.Compare(a[:], b[:]) })
	}
	snapshot.List(v, &told)
	snapshot.List(v, &counted)
	if !v.Restores() || v.Err() != nil {
		return
	}
	clear(p.told)
	if err := json.Unmarshal(told, &p.told); err != nil {
		v.Fail(err)
		return
	}
	clear(p.counted)
	for _, c := range counted {
		p.counted[c] = nil
	}
}
